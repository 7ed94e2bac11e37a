"""One formula a file: pure functions of posteriors.

Reading order: feasibility, utility, improvement, scenarios, knowledge_update, knowledge_draw, knowledge,
knowledge_gradient, maxvalue, propagation, entropy, confidence.
"""
