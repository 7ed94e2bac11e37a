"""The subcommands: one module each, with the Click command as `command`. They import heavy modules when they run."""
