"""Imported by every interpreter that has this folder in its PYTHONPATH, before anything else."""

from chaos import clock

clock.install()
