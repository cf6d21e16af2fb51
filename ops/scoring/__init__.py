"""A trained scorer of statement pairs: how likely the newer one ends the older one. Read ``scorer`` first."""
