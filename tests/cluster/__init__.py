"""Studies on a real SLURM, and with the executors of others: make slurm, make executors. Nothing here is in the suite.

Reading order: slurm, journal, check, executors.
"""
