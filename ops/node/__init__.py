"""The query node: a replica of the view, what it answers from, and what it writes to the broker.

Reading order: replica (the view it keeps), coverage, marks and following (its own search index), reading (the broker),
writing, intake (what producers send), forgetting and erasing, node (``ops.system.System``), generations and opening.
"""
