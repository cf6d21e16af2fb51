"""Which partition a space lives in: Kafka's default partitioner, so that the embedded log and a broker agree."""

from __future__ import annotations

from functools import lru_cache

from schemas.ids import SpaceKey

_SEED = 0x9747B28C
_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """MurmurHash2 as in ``org.apache.kafka.common.utils.Utils.murmur2``, unsigned 32 bit."""
    h = (_SEED ^ len(data)) & _MASK
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * _M & _MASK
        k = (k ^ (k >> 24)) * _M & _MASK
        h = (h * _M & _MASK) ^ k
    if rest := data[whole:]:
        h = (h ^ int.from_bytes(rest, "little")) * _M & _MASK
    h = (h ^ (h >> 13)) * _M & _MASK
    return h ^ (h >> 15)


@lru_cache(maxsize=100_000)
def partition_of(space: SpaceKey, partitions: int) -> int:
    """``toPositive(murmur2("tenant/space" in UTF-8)) % partitions``."""
    return (murmur2(str(space).encode("utf-8")) & 0x7FFFFFFF) % partitions
