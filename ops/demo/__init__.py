"""``make demo``: a sample conversation goes in, what still holds comes out."""
