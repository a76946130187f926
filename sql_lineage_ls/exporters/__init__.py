"""Exporters: a snapshot's lineage as text for people and for other tools. Pure: nothing is read, nothing written."""
