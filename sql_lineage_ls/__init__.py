"""Field-precise SQL lineage: a language server and a command line over one engine."""

__version__ = "0.1.0"
