"""The conversation with the user: ask, tell, recommend, run.

Reading order: checks, declaration, method, programs, reader, initial, decision, amendments, questions,
ending, frame, views, worker, loop, study, simple.
"""
