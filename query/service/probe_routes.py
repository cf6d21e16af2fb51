"""The routes outside ``/v1``: what a process says of itself."""

from __future__ import annotations

from . import probes
from .route import Route

PROBES = (
    Route(
        method="GET",
        path="/",
        name="page",
        summary="What this is",
        handler=probes.get_page,
        media_type="text/html",
    ),
    Route(
        method="GET",
        path="/healthz",
        name="healthz",
        summary="The process is up",
        handler=probes.get_healthz,
        reply=probes.Alive,
    ),
    Route(
        method="GET",
        path="/readyz",
        name="readyz",
        summary="Log and view are open and not far behind",
        handler=probes.get_readyz,
        reply=probes.Ready,
        refusals=(503,),
    ),
    Route(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="For Prometheus",
        handler=probes.get_metrics,
        media_type="text/plain",
    ),
)
