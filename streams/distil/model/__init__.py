"""Distilling with a language model: one question per closed session, its answer checked against the text."""
