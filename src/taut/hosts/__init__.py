"""taut inside other people's software: a driver for OpenMDAO, a generator for libEnsemble, Optimas and Xopt.

Reading order: names, dataflow, responses, declare, components, model, session, openmdao, requests, accepted,
vocs, simulator, gest, optimas.
Nothing here is imported by the rest of taut, and nothing of a host until its module is.
"""
