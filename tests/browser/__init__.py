"""The live page in a real browser: make browser."""
