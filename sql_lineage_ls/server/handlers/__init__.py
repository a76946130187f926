"""One handler a request: find the document, convert in, call one feature, convert out."""
