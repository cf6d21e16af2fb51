"""``python -m tests.golden.write``: add golden bytes for record types that have none yet.

Bytes that are there are never rewritten: logs hold them, so a record that no longer encodes to them is a break.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from schemas.codec import encode

from .samples import SAMPLES

GOLDEN = Path(__file__).with_name("records.json")


def main() -> None:
    """Append what is missing, in the order of the samples."""
    kept = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else []
    known = {(row["topic"], row["tag"]) for row in kept}
    for topic, record in SAMPLES:
        tag = str(record.__struct_config__.tag)
        if (topic, tag) not in known:
            as_json = json.loads(msgspec.json.encode(record))
            kept.append({"topic": topic, "tag": tag, "hex": encode(record).hex(), "json": as_json})
    GOLDEN.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
