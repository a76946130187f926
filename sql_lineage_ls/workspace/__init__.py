"""State, time and disk: settings, files on disk, documents of the editor, and the snapshots made of them."""
