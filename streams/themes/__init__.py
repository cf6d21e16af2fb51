"""Sessions on one theme (Eq. 8): ``fold`` says how they are grouped, ``stage`` keeps it, ``words`` makes vectors."""
