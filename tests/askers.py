"""Several processes at one study: python tests/askers.py PLACE PROCESSES PAIRS.

Every process asks and tells PAIRS times. Half of them use the study object they were forked with, the others open the
study themselves.
"""

import os
import sys
import traceback

import toy

import taut


def pairs(study: taut.Study, count: int) -> None:
    for _ in range(count):
        suggestion = study.ask()
        study.tell(suggestion, {name: toy.FUNCTIONS[name](suggestion.point) for name in suggestion.functions})


def main(place: str, processes: int, count: int) -> int:
    study = toy.study(initial=4, seed=7, storage=place)
    pairs(study, 1)  # so that there is something to inherit
    children = []
    for process in range(processes):
        child = os.fork()
        if child:
            children.append(child)
            continue
        try:
            pairs(study if process % 2 else taut.Study.open(place, toy.ToyPolicy()), count)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in children)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
