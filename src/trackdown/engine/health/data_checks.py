"""The store and the models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trackdown.engine.health.health_check import HealthCheck
from trackdown.errors import ModelError
from trackdown.models import NONE, open_models
from trackdown.settings import Settings
from trackdown.store import StoreInspection, inspect_store

_SECONDS = 1.0
"""How long the files of the store are read; a large store is checked in part."""
_LITTLE, _TOO_LITTLE = 1 << 30, 64 << 20
_SHOWN = 3
_ELSEWHERE = "set TRACKDOWN_STORE to another folder"


def check_data(settings: Settings) -> Iterator[HealthCheck]:
    """Check the store and the models that the settings name. Changes nothing, and reaches no network."""
    store = inspect_store(settings.store, _SECONDS)
    yield _place(store, settings)
    yield _disk(store)
    if store.exists:
        yield _files(store)
    yield from _models(settings)
    if settings.llm != NONE:
        yield _llm(settings)


def _place(store: StoreInspection, settings: Settings) -> HealthCheck:
    if not store.is_ours:
        return HealthCheck("store", "problem", f"{settings.store} is not a store of Trackdown", _ELSEWHERE)
    if not store.is_writable:
        return HealthCheck(
            "store", "problem", f"{store.folder} cannot be written", f"make it writable, or {_ELSEWHERE}"
        )
    if not store.is_private:
        hint = f"run `chmod 700 {store.folder}`; the next search does it, too"
        return HealthCheck("store", "warning", f"{store.folder} can be read by others", hint)
    if not store.exists:
        return HealthCheck("store", "ok", f"{store.folder} (the first search creates it)")
    size = f"{store.bytes / 1e6:.1f} MB of {settings.store_limit_mb} MB"
    if store.older:
        hint = "`trackdown clear --all` removes them, together with the present one"
        return HealthCheck("store", "warning", f"{store.folder}, {size}; other formats: {', '.join(store.older)}", hint)
    return HealthCheck("store", "ok", f"{store.folder}, {size}")


def _disk(store: StoreInspection) -> HealthCheck:
    found = f"{store.free / 1e9:.1f} GB free"
    if store.free < _TOO_LITTLE:
        return HealthCheck("disk", "problem", found, f"free some space, run `trackdown clear`, or {_ELSEWHERE}")
    if store.free < _LITTLE:
        return HealthCheck("disk", "warning", found, f"free some space, or {_ELSEWHERE}")
    return HealthCheck("disk", "ok", found)


def _files(store: StoreInspection) -> HealthCheck:
    if store.damaged:
        more = f", and {len(store.damaged) - _SHOWN} more" if len(store.damaged) > _SHOWN else ""
        hint = "the next search rebuilds them; `trackdown clear --all` removes everything"
        return HealthCheck("store files", "problem", ", ".join(store.damaged[:_SHOWN]) + more, hint)
    if store.checked < store.files:
        return HealthCheck("store files", "ok", f"{store.checked} of {store.files} read in a second, all intact")
    return HealthCheck("store files", "ok", f"{store.checked}, all intact")


def _models(settings: Settings) -> Iterator[HealthCheck]:
    if settings.models == NONE:
        yield HealthCheck("models", "ok", "none: searches use words and history alone")
        return
    if settings.models.startswith("hub:"):
        yield HealthCheck("models", "ok", f"{settings.models}, not checked: that may take the network")
        return
    try:
        models = open_models(settings.models, settings.thread_count)
        models.verify()
        parts = {"static": models.static, "encoder": models.encoder, "cross-encoder": models.cross_encoder}
    except (ModelError, ImportError) as error:
        yield HealthCheck("models", "problem", str(error), "searches use words and history alone until then")
        return
    here = [name for name, part in parts.items() if part is not None]
    missing = [name for name, part in parts.items() if part is None]
    found = f"{models.manifest.name}: {', '.join(here) or 'nothing'}; checksums match, loaded"
    if missing:
        yield HealthCheck("models", "warning", f"{found}; without {', '.join(missing)}", "train or name a whole set")
    else:
        yield HealthCheck("models", "ok", found)


def _llm(settings: Settings) -> HealthCheck:
    """What is known without asking it."""
    if "://" in settings.llm:
        key = "its key is set" if settings.llm_key else "no key is set"
        if not settings.llm_model:
            return HealthCheck("language model", "problem", "an endpoint without a model", "set TRACKDOWN_LLM_MODEL")
        return HealthCheck("language model", "ok", f"an endpoint, model {settings.llm_model}, {key}; not asked")
    if settings.llm.endswith(".gguf") and not Path(settings.llm).expanduser().is_file():
        return HealthCheck("language model", "problem", f"{settings.llm} is not there", "set TRACKDOWN_LLM to a file")
    return HealthCheck("language model", "ok", f"{settings.llm}; not loaded")
