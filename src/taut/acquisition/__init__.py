"""One formula a file: pure functions of posteriors.

Reading order: settings, feasibility, utility, improvement, incumbent, scenarios, knowledge_update, lookahead, lookup,
knowledge, knowledge_gradient, maxvalue, propagation, entropy, confidence.
"""
