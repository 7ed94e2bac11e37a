"""The published experiments: run, judge the claims of the paper, report; and a public arena, run with the same means.

Reading order: arena.suite, experiments, arena.plan, repetition, traces, jsonfile, versions, results, runner, screen,
stuck, statistics, conduct, figures.style, curves, claims.evidence, claims.comparisons, claims.steps, claims.identities,
claims.rules, figures.draw, figures.files, report.tables, report.claims, report.headline, report.parts, report.document,
report.page, cli.
"""
