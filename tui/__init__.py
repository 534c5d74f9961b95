"""The people's door: the console, and the command line beside it."""
