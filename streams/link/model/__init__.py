"""Linking with a language model: the rules settle what is clear, the model sees the rest of a session at once."""
