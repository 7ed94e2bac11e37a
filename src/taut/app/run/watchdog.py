"""Ends programs whose starter died: run as a process of its own, with nothing but the standard library.

Reads lines "+N" and "-N" from its standard input: process group N was started, has ended. When the input ends, the
process that wrote it is dead (or done), and what it left behind is killed.
"""

import os
import signal
import sys


def main() -> None:
    groups: set[int] = set()
    for line in sys.stdin.buffer:  # a line cut short by the death of the writer has no end
        if line.endswith(b"\n"):
            number = int(line[1:])
            if line[:1] == b"+":
                groups.add(number)
            else:
                groups.discard(number)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass  # has ended by itself


if __name__ == "__main__":
    main()
