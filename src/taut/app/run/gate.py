"""Becomes a program of the user, but only when it is told to: run as a process of its own.

Its arguments are the numbers of two pipes. On the first comes an order; if that ends before the whole of it has come,
the starter is dead, and nothing is started. An order is its length in bytes, then, each followed by a zero: how many
files to try and how many words there are, the files, the words, and the environment. To the second pipe goes "+" before
it becomes the program, and the number of the error if it cannot. Imports only what is built into Python, to be quick.
"""

import _signal  # type: ignore[import-not-found]
import posix
import sys

NOT_HERE = (2, 20)  # no such file, no such folder: the next one to try may have it


def main() -> None:
    pipes = order, answer = tuple(map(int, sys.argv[1:]))
    for pipe in pipes:
        posix.set_inheritable(pipe, False)  # the program gets neither
    fields = received(order)
    if fields:
        tries, words = 2 + int(fields[0]), 2 + int(fields[0]) + int(fields[1])
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # which Python ignores, and the program would, too
            _signal.signal(number, _signal.SIG_DFL)
        posix.write(answer, b"+")
        environment = dict(pair.split(b"=", 1) for pair in fields[words:])
        posix.write(answer, b"%d" % become(fields[2:tries], fields[tries:words], environment))


def received(pipe: int) -> list[bytes]:
    content = b""
    while part := posix.read(pipe, 65536):
        content += part
        length, end, rest = content.partition(b"\0")
        if end and len(rest) == int(length):
            return rest[:-1].split(b"\0")
    return []


def become(files: list[bytes], argv: list[bytes], environment: dict[bytes, bytes]) -> int:
    """Does not return, or with the number of the error that says most."""
    errors = [0]
    for file in files:
        try:
            posix.execve(file, argv, environment)
        except OSError as error:
            errors.append(error.errno or 0)
    return next((error for error in errors[1:] if error not in NOT_HERE), errors[-1])


if __name__ == "__main__":
    main()
