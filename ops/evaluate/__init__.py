"""Measures quality against hand-made answers: messages in by the normal path, questions to the normal API."""
