"""From events to edges. ``definition`` says which edges, ``stage`` keeps them, ``session`` links one session."""
