"""A dry run: every program of a study file once, at one point, before anything is paid for. Nothing is recorded."""

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.app.look.answer import typed_point
from taut.app.look.check import Check, Trial, records
from taut.app.run import processes
from taut.app.run.commands import Command
from taut.app.run.session import command, require_posix
from taut.app.studyfile.file import StudyFile
from taut.app.studyfile.text import reason, refused
from taut.base.errors import StoppedError
from taut.problem.design import initial_design
from taut.problem.space import from_unit
from taut.storage.owner import new as new_owner
from taut.study.programs import Task


def check(file: StudyFile, environment: Mapping[str, str], at: Sequence[str] = (), run: bool = True) -> Check:
    """Try the programs (unless run is False), and look how the models have fared.

    at: values of parameters as NAME=VALUE, in place of those of the first point of the initial design.
    """
    point = point_of(file, at)
    covered = {name for entry in file.programs for name in entry.functions}
    return Check(
        study=file.study.name,
        point=point if run and file.problem.simulated else None,
        programs=trials(file, environment, point) if run and file.programs else (),
        by_hand=tuple(name for name in file.problem.simulated if name not in covered),
        functions=records(file),
        computed=not file.problem.simulated,
    )


def point_of(file: StudyFile, at: Sequence[str] = ()) -> dict[str, Any]:
    """The first point of the initial design, or the middle if there is none, with what was typed in its place."""
    problem, study = file.problem, file.study
    design = initial_design(problem, study.initial_design, study.initial, study.seed)
    first = design[0][0] if design else np.full(problem.dimension, 0.5)
    return problem.check_point(from_unit(problem, first) | typed_point(problem, at, "taut check --at"))


def trials(file: StudyFile, environment: Mapping[str, str], point: dict[str, Any]) -> tuple[Trial, ...]:
    """Start every program once, one after the other, in a folder that is removed afterwards."""
    require_posix(file)
    owner = new_owner()
    programs = [command(file, entry, owner, environment) for entry in file.programs]
    try:
        # Beside the study file, as in a run: programs find their files by the same relative paths.
        folder = tempfile.mkdtemp(prefix=f"{file.study.name}.check-", dir=file.folder)
    except OSError as error:
        expected, got = "a folder that can be written to", f"an error ({reason(error)})"
        raise refused(repr(str(file.folder)), expected, got, "check its permissions, or use --no-run") from error
    try:
        tried = [replace(program, runs=folder, study_storage="", retries=0) for program in programs]
        return tuple(_trial(program, point, entry.table) for program, entry in zip(tried, file.programs, strict=True))
    except KeyboardInterrupt:
        processes.end_all(owner)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _trial(program: Command, point: dict[str, Any], table: str) -> Trial:
    begun = time.monotonic()
    try:
        ended, outcome = program.trial(Task(0, dict(point), program.functions))
    except StoppedError as error:
        nothing: dict[str, float | None] = dict.fromkeys(program.functions)
        return Trial(program.name, program.functions, False, None, nothing, 0.0, str(error), table)
    seconds = round(time.monotonic() - begun, 3)
    code = None if ended is None else ended.code
    return Trial(program.name, program.functions, ended is not None, code, outcome.values, seconds, outcome.note, table)
