"""Answers from a cut of the view and the index. Pure, but for ``service``. Read ``engine`` first, then ``state``."""
