"""Suite ``cases``: small stories made from public bug reports, each with what must come out of them."""

from .run import run

__all__ = ["run"]
