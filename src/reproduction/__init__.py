"""The reproduction: one folder (room) per experiment, and `core`, which all rooms share."""
