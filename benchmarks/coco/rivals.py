"""The rivals by name, each a small adapter; what one needs is imported when it plays."""

import warnings
from importlib import import_module, metadata

from coco.trial import Rival, Trials

MODULES = {"egobox": "ego", "botorch-cei": "log_cei", "scbo": "scbo", "cobyqa": "quadratic"}
TITLES = {"egobox": "EGObox", "botorch-cei": "BoTorch log-cEI", "scbo": "SCBO", "cobyqa": "COBYQA"}


PACKAGES = {"egobox": "egobox", "botorch-cei": "botorch", "scbo": "botorch", "cobyqa": "cobyqa"}


def package(method: str) -> dict[str, str]:
    """The package of a rival with its version, in the environment that is used now; nothing for the library's own."""
    return {PACKAGES[method]: metadata.version(PACKAGES[method])} if method in PACKAGES else {}


def rival(name: str) -> Rival:
    """Plays with one thread; its numerical warnings are its own affair."""

    def playing(board: Trials, seed: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(f"coco.{MODULES[name]}").play(board, seed)

    return playing
