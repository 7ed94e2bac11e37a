"""The guard: does a change of the default make any kind of problem worse? Reading order: landscapes, reference, cases,
trial, figures, page."""
