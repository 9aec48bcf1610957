"""Curves from tables: reading, rounding, counting, checks, and bounds of rounded curves."""
