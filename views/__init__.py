"""The validity view and the vector index: what is derived from the topics, and how it is read.

Reading order: rows, spec (with spec_live), validity (with change and derive), maintain, snapshot, reader; then vectors,
encoder and embed.
"""
