"""The broker's side: which topics there are, and how they are made and checked."""
