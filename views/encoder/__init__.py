"""Text to unit vectors. Reading order: protocol, resolve, minilm, bert_graph, reference, cached.

Importing this package loads no model and no runtime: ``minilm.load`` and ``reference.load`` do.
"""
