"""Everything one types instead of imports; nothing below may import it.

Reading order: studyfile.text, studyfile.location, studyfile.keys, studyfile.file, studyfile.template, look.answer,
look.status, look.check, look.text, look.export, look.watch, look.server, enter.import_csv, enter.manual, run.monitor,
run.watchdog, run.gate, run.guard, run.processes, run.folders, run.points, run.commands, run.pools, run.session,
run.dry, run.live, cli.demo, cli.study, cli.bench, cli.main.
"""
