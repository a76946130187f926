"""Lineage: query model and catalog to the lineage of each statement. Knows no text, disk or protocol."""
