"""The language server: protocol messages in, calls of features, protocol messages out. Knows no SQL."""
