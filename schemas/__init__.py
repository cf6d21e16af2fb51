"""Records of StillTrue: what is written to topics, how it is encoded, and the ids and times in it.

Pure: imports the standard library and msgspec only, and nothing else of this project.
Reading order: ids, times, messages, sessions, events, edges, the other topics, topics, codec.
"""
