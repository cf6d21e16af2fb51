"""How our RocksDBs are set: what they hold in memory, what they keep open, how their blocks are packed."""

from __future__ import annotations

from rocksdict import BlockBasedIndexType, BlockBasedOptions, Cache, DBCompressionType, Options

CACHE_BYTES = 64 * 2**20
"""Of read blocks, of one database, over all its families; with their indexes and filters."""

BLOCK_BYTES = 4_096
"""Of a block before it is packed, and of a part of an index or a filter."""

MEMTABLE_BYTES = 64 * 2**20
"""Of writes that are not in files yet, of one database; and as much of write-ahead log, which bounds what an opening
after a kill has to read."""

FAMILY_MEMTABLE_BYTES = 16 * 2**20

OPEN_FILES = 256
"""A file that is not open costs one more read. Far below the 1,024 a process usually may open: a store has two
databases, and a service sockets."""

OPENING_THREADS = 1
"""An opening looks into a few of its files beforehand. RocksDB starts 16 threads for it, for every family anew: 54
instead of 16 ms for a dozen families (measured)."""

MANIFEST_BYTES = 1
"""Every change of the list of files writes the list anew (some kilobytes, a few times a minute at most). It names the
first and last key of each file, and what was erased may be one: a list that only grows would name it until the next
opening."""

BLOOM_BITS = 10
"""Bits per key: one in a hundred absent keys costs a read. Most new events, edges and sets are looked for in vain."""


MEMTABLE_BLOOM_SHARE = 0.02
"""Of a memtable, for a filter of its keys: an absent key is then looked for in a third of the time (measured)."""


def block_cache() -> Cache:
    """For the blocks of one database.

    Not RocksDB's LRU cache: it would be 64 shards of 1 MB, in which one index or filter of a full file drives out
    everything else, and a read takes four times as long in a view of 400,000 events (measured, ops/adr/0031). This
    kind needs a capacity: rocksdict 0.3.29 ends the process when there is none.
    """
    return Cache.new_hyper_clock_cache(CACHE_BYTES, BLOCK_BYTES)


def _table(cache: Cache) -> BlockBasedOptions:
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_block_size(BLOCK_BYTES)
    table.set_metadata_block_size(BLOCK_BYTES)
    table.set_index_type(BlockBasedIndexType.two_level_index_search())
    table.set_partition_filters(True)
    table.set_pin_top_level_index_and_filter(True)
    table.set_bloom_filter(BLOOM_BITS, block_based=False)
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    table.set_format_version(5)
    return table


def options_of(cache: Cache) -> Options:
    """Of every family alike. LZ4, because a block is read far more often than it is written: zstd saves a fifth of the
    disk and takes three times as long to unpack."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_block_based_table_factory(_table(cache))
    options.set_write_buffer_size(FAMILY_MEMTABLE_BYTES)
    options.set_memtable_prefix_bloom_ratio(MEMTABLE_BLOOM_SHARE)
    options.set_memtable_whole_key_filtering(True)
    options.set_db_write_buffer_size(MEMTABLE_BYTES)
    options.set_max_total_wal_size(MEMTABLE_BYTES)
    options.set_max_open_files(OPEN_FILES)
    options.set_max_file_opening_threads(OPENING_THREADS)
    options.set_max_manifest_file_size(MANIFEST_BYTES)
    options.set_keep_log_file_num(3)
    return options
