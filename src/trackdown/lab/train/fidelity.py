"""How true an exported folder is to the model: figures for its manifest."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trackdown.lab.train.transformer import Bert, max_similarity
from trackdown.models import (
    CrossEncoder,
    Encoder,
    LateQuery,
    ModelManifest,
    Numbers,
    TextTokenizer,
    open_models,
    unit_steps,
    write_manifest,
)

NEIGHBOURS = 10
TIMED_LENGTH = 128
_QUERIES = 4
Figures = Mapping[str, float]


def check_fidelity(model: Bert, folder: Path, texts: Sequence[str], *, threads: int = 0) -> ModelManifest:
    """Compare the folder's graphs with the model on spoken texts, time the encoder, and write both into the manifest.

    The model reads every text alone and in full precision, the folder in padded batches: what padding, int8 or a wrong
    export would change shows in the figures. Texts without a word are left out.
    """
    models = open_models(folder, threads)
    manifest = models.manifest
    figures = {name: dict(found) for name, found in manifest.figures.items()}
    model = copy.deepcopy(model).cpu().float().eval()
    texts = [text for text in texts if text.strip()]
    if models.encoder is not None:
        role = manifest.roles["encoder"]
        tokens = TextTokenizer(folder / role.tokenizer)
        wanted = _vectors(model, tokens, texts, role.longest)
        figures["encoder"] = dict(_vectors_agree(models.encoder.encode(texts), wanted))
        if models.encoder.token_dimensions:
            figures["late_interaction"] = dict(_late_scores_agree(models.encoder, model, tokens, texts))
        timed = replace(role, texts_per_second=_texts_per_second(models.encoder, texts))
        manifest = replace(manifest, roles={**manifest.roles, "encoder": timed})
    if models.cross_encoder is not None:
        role = manifest.roles["cross_encoder"]
        tokens = TextTokenizer(folder / role.tokenizer)
        judge = _Judge(model, tokens, role.longest, role.longest_query)
        figures["cross_encoder"] = dict(_scores_agree(models.cross_encoder, judge, texts))
    manifest = replace(manifest, figures=figures)
    write_manifest(folder, manifest)
    return manifest


def _vectors(model: Bert, tokens: TextTokenizer, texts: Sequence[str], longest: int) -> Numbers:
    rows = []
    with torch.inference_mode():
        for text in texts:
            ids = _framed(tokens, text, longest)
            rows.append(model.embed(ids, torch.ones_like(ids)))
        return torch.cat(rows).numpy()


def _framed(tokens: TextTokenizer, text: str, longest: int) -> Tensor:
    most = longest - len(tokens.before) - len(tokens.after)
    return torch.tensor([[*tokens.before, *tokens.ids(text, most), *tokens.after]])


class _Judge:
    """The relevance of single pairs, by the model itself."""

    def __init__(self, model: Bert, tokens: TextTokenizer, longest: int, longest_query: int) -> None:
        self._model, self._tokens, self._longest, self._longest_query = model, tokens, longest, longest_query

    def score(self, query: str, texts: Sequence[str]) -> Numbers:
        start, end = self._tokens.before, self._tokens.after
        first = [*start, *self._tokens.ids(query, self._longest_query), *end]
        scores = []
        with torch.inference_mode():
            for text in texts:
                second = [*self._tokens.ids(text, self._longest - len(first) - len(end)), *end]
                ids = torch.tensor([[*first, *second]])
                types = torch.tensor([[0] * len(first) + [1] * len(second)])
                scores.append(float(self._model.relevance(ids, torch.ones_like(ids), types)))
        return np.array(scores, np.float32)


def _vectors_agree(got: Numbers, wanted: Numbers) -> Figures:
    cosines = (got * wanted).sum(axis=1)
    near, far = got @ got.T, wanted @ wanted.T
    np.fill_diagonal(near, -2)
    np.fill_diagonal(far, -2)
    return {
        "texts": len(got),
        "cosine_mean": round(float(cosines.mean()), 5),
        "cosine_min": round(float(cosines.min()), 5),
        "top10_overlap": round(float(np.mean(list(map(_overlap, near, far)))), 4),
    }


def _late_scores_agree(encoder: Encoder, model: Bert, tokens: TextTokenizer, texts: Sequence[str]) -> Figures:
    read = [unit_steps(one.tokens) for one in encoder.read(texts)]
    pairs: list[tuple[Numbers, Numbers]] = []
    with torch.inference_mode():

        def vectors(text: str, longest: int) -> Tensor:
            ids = _framed(tokens, text, longest)
            return model.read(ids, torch.ones_like(ids))[1]

        whole = [vectors(text, encoder.longest)[None] for text in texts]
        for query in texts[:_QUERIES]:
            got = LateQuery(encoder.read_query(query).tokens).scores(read)
            asked = vectors(query, encoder.longest_query)
            wanted = [float(max_similarity(asked, found)) for found in whole]
            pairs.append((np.array(got, np.float32), np.array(wanted, np.float32)))
    return _agreement(pairs)


def _scores_agree(cross_encoder: CrossEncoder, judge: _Judge, texts: Sequence[str]) -> Figures:
    pairs = [(cross_encoder.score(query, texts), judge.score(query, texts)) for query in texts[:_QUERIES]]
    return _agreement(pairs)


def _agreement(pairs: Sequence[tuple[Numbers, Numbers]]) -> Figures:
    return {
        "pairs": sum(len(got) for got, _ in pairs),
        "difference_max": round(max(float(np.abs(got - wanted).max()) for got, wanted in pairs), 5),
        "spread": round(float(np.mean([wanted.std() for _, wanted in pairs])), 5),
        "top10_overlap": round(float(np.mean([_overlap(got, wanted) for got, wanted in pairs])), 4),
    }


def _overlap(got: Numbers, wanted: Numbers) -> float:
    """The share of the ten best that both have."""
    most = min(NEIGHBOURS, len(got))
    return len({*np.argsort(-got)[:most]} & {*np.argsort(-wanted)[:most]}) / most


def _texts_per_second(encoder: Encoder, texts: Sequence[str]) -> float:
    """Texts of 128 tokens in a second, on the cores that the encoder was opened with."""
    long = " ".join(texts)
    sample = [long] * 64
    encoder.encode(sample[:8], TIMED_LENGTH)
    start = time.perf_counter()
    encoder.encode(sample, TIMED_LENGTH)
    return round(len(sample) / (time.perf_counter() - start), 1)
