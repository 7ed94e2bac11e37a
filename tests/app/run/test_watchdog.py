"""The process that ends programs whose starter died."""

import subprocess
import sys

from taut.app.run import watchdog


def test_it_confirms_and_ends_what_was_not_taken_back() -> None:
    command = [sys.executable, "-I", "-S", watchdog.__file__]
    dog = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    kept, ended, cut = (subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) for _ in range(3))
    assert dog.stdin is not None and dog.stdout is not None
    for program in (kept, ended):
        dog.stdin.write(b"+%d\n" % program.pid)
        assert dog.stdout.readline() == b"+%d\n" % program.pid
    dog.stdin.write(b"-%d\n+%d" % (ended.pid, cut.pid))  # the starter dies in the middle of a line
    dog.stdout.close()  # and reads no more
    dog.stdin.close()
    assert dog.wait(30) == 0 and kept.wait(30) == -9
    for program in (ended, cut):
        assert program.poll() is None
        program.kill()
        program.wait()
