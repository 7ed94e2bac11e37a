"""One page about all results."""
