"""Unit tests keep their files in memory where there is room: RocksDB waits for the disk at every opening.

None of them loses power, so none needs a disk; what survives a killed process is the same in memory.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 2_000_000_000
"""Bytes: many times what all of them leave there. A container has 64 MB by default: then the disk is used."""

if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
