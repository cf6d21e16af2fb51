"""Files of messages to ``MessageIn`` JSON. Reading order: items, jsonl, locomo, opening."""

from .items import BadFileError, Item, SourceFile
from .opening import FORMATS, FormatName, open_source

__all__ = ["FORMATS", "BadFileError", "FormatName", "Item", "SourceFile", "open_source"]
