"""The amplifier with the parts of a design, and one run of ngspice. Needs ngspice (Debian: apt install ngspice)."""

import re
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
NUMBER = r"(\w+)\s*[=:]\s*([-+]?\d[.\d]*(?:e[-+]\d+)?)"


def simulate(parts, commands, source=""):
    """Let ngspice carry out the commands; every "name = number" or "name: number" that it prints."""
    text = (FOLDER / "amplifier.cir").read_text()
    for name, value in {**parts, "source": source, "commands": commands}.items():
        text = text.replace("{" + name + "}", str(value))
    Path("run.cir").write_text(text)
    ended = subprocess.run(["ngspice", "-b", "run.cir"], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in re.findall(NUMBER, ended.stdout)}
