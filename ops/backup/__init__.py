"""Backups: the log and the view as of one moment, made while the store is written to, and put back elsewhere.

Read ``make`` first, then ``restore``; ``staging`` is why neither ever leaves half of one.
"""
