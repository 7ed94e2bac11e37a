"""Everything one types instead of imports; nothing below may import it.

Reading order: studyfile.text, studyfile.location, studyfile.keys, studyfile.file, studyfile.template, look.answer,
look.status, look.text, look.export, look.terminal, enter.import_csv, enter.manual, run.watchdog, run.processes,
run.commands, run.pools, run.session, run.live, cli.common, cli.demonstration, cli.demo, cli.init, cli.run, cli.ask,
cli.tell, cli.add, cli.status, cli.best, cli.export, cli.bench, cli.main.
"""
