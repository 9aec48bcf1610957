"""The reproduction: one folder per experiment, and `core`, which they share."""
