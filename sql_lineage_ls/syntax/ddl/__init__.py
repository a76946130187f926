"""Our own reader of DDL: CREATE TABLE / VIEW / TYPE, ALTER, DROP and USE, from tokens to the query model.

It knows every dialect's spelling at once, since no two of them contradict each other where they differ, and it keeps
the exact span of every name. Only the query of a view or of CREATE TABLE .. AS is left to the query parser.
"""

from sql_lineage_ls.syntax.ddl.reader import read_ddl

__all__ = ["read_ddl"]
