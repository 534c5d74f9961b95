"""The console's screens and dialogs, one a file."""
