"""The searches that the methods share; their order is part of the policy's reading order."""
