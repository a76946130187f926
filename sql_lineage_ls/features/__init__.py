"""Features: one file an editor request, pure functions of a snapshot, a position and options to plain records."""
