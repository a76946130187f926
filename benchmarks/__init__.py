"""Benchmarks: how long the analysis and the server take, beside what sqlglot alone needs for the same texts."""
