"""The embed stage: a vector index that several workers fill. Read ``stage`` first, then ``queue``."""
