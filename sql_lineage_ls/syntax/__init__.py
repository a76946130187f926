"""Syntax: text to statements to the frozen query model. The only importer of sqlglot."""
