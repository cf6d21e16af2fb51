"""What can be wrong with a data directory; each error says what the operator does about it."""

from __future__ import annotations


class StoreError(RuntimeError):
    """A data directory that cannot be used as it is. Nothing was changed; the message says what to do."""


class StoreInUseError(StoreError):
    """Another process (or another object of this one) writes to the directory.

    Stop it, or give this one its own directory with ``--store``. Commands that only read open it beside the writer.
    """


class BadStoreError(StoreError):
    """The directory holds something else: another format number, another layout, or no store of ours at all.

    Use the release that wrote it, or name an empty directory with ``--store`` and import again; do not delete the old
    one before the import is done.
    """


class NoStoreError(StoreError):
    """There is no store to read in the directory. Check ``--store``, or write something first (``import``)."""


class ReadOnlyError(StoreError):
    """A write on a store that was opened for reading only. Open it as the writer."""
