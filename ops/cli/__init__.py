"""The commands. ``world`` is what a command may touch, one file per command, ``__main__`` puts them together."""
