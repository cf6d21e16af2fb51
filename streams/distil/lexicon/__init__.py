"""Word lists of the offline distiller: English, general, one kind of word per module. Data only, no logic."""
