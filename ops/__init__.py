"""Puts the parts together: settings, the embedded runtime, the commands, importers, the broker's topics."""
