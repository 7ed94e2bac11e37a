"""What is shown of a study; never changes it."""
