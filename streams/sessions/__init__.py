"""Messages into sessions.

Reading order: ``definition`` (what a session is), ``rows``, ``cut``, ``publish``, ``stage``.
"""
