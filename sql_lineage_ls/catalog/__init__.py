"""Catalog: which relations, columns and nested fields exist, as the workspace's DDL says."""
