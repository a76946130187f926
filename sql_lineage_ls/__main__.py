"""`python -m sql_lineage_ls` is the command `sql-lineage-ls`."""

import sys

from sql_lineage_ls.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
