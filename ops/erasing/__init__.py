"""Erasing: a record says what is to be forgotten, every store forgets it, and a receipt says what is left.

Read ``run`` first (the steps, and what a kill between them does), then ``scrub`` (what becomes of a record).
"""
