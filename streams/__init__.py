"""Stages from messages to edges, pure behind ``ports``. They meet the views in topics only.

Reading order: ports, sessions, distil (with anchors and participants), candidates, classify, link, themes; ingest takes
messages in, log is where records lie.
"""
