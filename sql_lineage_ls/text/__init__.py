"""Text: spans, lines and encodings. The floor of the program: imports nothing of it."""
