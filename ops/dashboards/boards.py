"""All dashboards; a test evaluates every expression of them on a real Prometheus."""

from __future__ import annotations

from .flow import FLOW
from .model import MODEL
from .queries import QUERIES

BOARDS = (FLOW, MODEL, QUERIES)
