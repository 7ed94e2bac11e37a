"""The study file: TOML in, checked declarations out."""
