"""The vector index. ``protocol`` is the port; ``edge`` (in process), ``server`` and ``memory`` satisfy it."""
