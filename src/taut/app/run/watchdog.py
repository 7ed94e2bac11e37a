"""Ends programs whose starter died: run as a process of its own, with nothing but the standard library.

Reads lines "+N" and "-N" from its standard input: process group N was started, has ended; each "+N" is answered by the
same line. When the input ends, the process that wrote it is dead (or done), and what it left behind is killed.
"""

import os
import signal
import sys


def main() -> None:
    groups: set[int] = set()
    for line in sys.stdin.buffer:  # a line cut short by the death of the writer has no end
        if line.endswith(b"\n"):
            if line[:1] == b"+":
                groups.add(int(line[1:]))
                try:
                    os.write(1, line)
                except OSError:
                    pass  # nobody reads it: dead, as the end of the input is about to say
            else:
                groups.discard(int(line[1:]))
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass  # has ended by itself


if __name__ == "__main__":
    main()
