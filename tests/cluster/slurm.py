"""A SLURM of one node on this machine, as long as it is needed: munged, slurmctld and slurmd from Debian's packages.

Everything they keep is in one folder, nothing in /etc is read or changed: a key and a socket of its own for munge, a
configuration that says so, and `SLURM_CONF` for whoever wants to use it. No systemd, no cgroups, no accounting.
"""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
START = 60.0
"""Seconds until the node must be idle."""
END = 20.0
"""Seconds that a daemon may take to end before it is killed."""

CONFIGURATION = """\
ClusterName=taut
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# A container has neither cgroups of its own nor an MPI: processes are followed by who started whom.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
# Four jobs at a time whatever the machine has: these wait more than they compute.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=normal Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """The daemons that are not installed."""
    return [name for name in DAEMONS if shutil.which(name, path=search_path()) is None]


def search_path() -> str:
    """Daemons are in folders that not every user searches."""
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"])


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses at the moment."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]


def configure(folder: Path) -> dict[str, str]:
    """Write key and configuration; the environment in which everybody finds them."""
    for each in (folder.parent, folder):
        each.chmod(0o755)  # munged refuses to put its socket where others cannot reach it
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)  # munged refuses a key that others could read
    for name in ("state", "spool"):
        (folder / name).mkdir()
    controller, node = free_ports(2)
    host = socket.gethostname().partition(".")[0]
    text = CONFIGURATION.format(host=host, controller=controller, node=node, user=getpass.getuser(), folder=folder)
    (folder / "slurm.conf").write_text(text)
    return dict(os.environ, PATH=search_path(), SLURM_CONF=str(folder / "slurm.conf"))


@contextmanager
def started(folder: Path) -> Iterator[dict[str, str]]:
    """A SLURM that lives in this folder; the environment for its users. The daemons end with the block."""
    environment = configure(folder)
    munged = ["munged", "--foreground", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket"]
    munged += [f"--{name}-file={folder}/munged.{name}" for name in ("pid", "log", "seed")]
    with ExitStack() as stack:
        commands = (munged, ["slurmctld", "-D"], ["slurmd", "-D"])
        daemons = [stack.enter_context(_daemon(command, folder, environment)) for command in commands]
        _wait_for_idle(environment, folder, daemons)
        yield environment


@contextmanager
def _daemon(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A process in the foreground, ended in the end."""
    with (folder / f"{command[0]}.out").open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_idle(environment: dict[str, str], folder: Path, daemons: "list[subprocess.Popen[bytes]]") -> None:
    end = time.monotonic() + START
    while True:
        asked = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], env=environment, capture_output=True, text=True, timeout=START
        )
        if asked.stdout.strip() == "idle":
            return
        if time.monotonic() > end or any(each.poll() is not None for each in daemons):
            paths = sorted([*folder.glob("*.out"), *folder.glob("*.log")])
            logs = "".join(f"\n--- {path.name}\n{path.read_text()[-2000:]}" for path in paths)
            raise TimeoutError(f"SLURM: the node is not idle: {asked.stdout}{asked.stderr}{logs}")
        time.sleep(0.5)
