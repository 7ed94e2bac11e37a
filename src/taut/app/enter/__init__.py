"""Values that people bring: by hand, or from a table."""
