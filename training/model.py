"""The reader: a BERT of six layers that reads question and passage together, with several scores.

For each token: does the short answer start here, does it end here, does the token belong to a unit
(a sentence, item, row or definition) that answers, and, of the question, does the passage fail at
this word. For the pair: does the passage answer; is the answer yes or no; what is missing where it
does not answer; and, where a claim stands in the place of the question, does the passage support or
refute it. All are logits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

# Added to the attention that padding would get.
HIDDEN = -1e4


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network; the defaults are those of all-MiniLM-L6-v2."""

    vocabulary: int = 30522
    positions: int = 512
    segments: int = 2
    width: int = 384
    inner_width: int = 1536
    heads: int = 12
    layers: int = 6


YES_NO = ("no", "yes")
CAUSES = ("E", "#", "N", "A", "X", "I")
"""Why a passage does not answer, as SQuAD2-CR names it: another entity, number, negation, opposite,
excluded by the text, missing."""
CLAIMS = ("refuted", "neutral", "supported")

JUDGEMENTS = len(YES_NO) + len(CAUSES) + len(CLAIMS)


class Reading(NamedTuple):
    """Logits of one batch: [batch, token] each, [batch] for `answers`, [batch, choice] for the last
    three."""

    start: Tensor
    end: Tensor
    sentence: Tensor
    answers: Tensor
    missed: Tensor  # [batch, token], of the question's tokens
    yes_no: Tensor
    cause: Tensor
    claim: Tensor


class Reader(nn.Module):
    """Encoder and scores. Tokens of padding have the mask 0."""

    def __init__(self, shape: Shape | None = None) -> None:
        super().__init__()
        shape = shape or Shape()
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(shape.segments, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.token_scores = nn.Linear(shape.width, 3)
        self.missed_score = nn.Linear(shape.width, 1)
        self.pair = nn.Linear(shape.width, shape.width)
        self.pair_score = nn.Linear(shape.width, 1)
        self.judgements = nn.Linear(shape.width, JUDGEMENTS)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Reading:
        """Score a batch of packed pairs, each argument [batch, token] of int64."""
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        states = self.words(input_ids) + self.positions(places) + self.segments(token_type_ids)
        states = self.norm(states)
        hidden = (1 - attention_mask[:, None, None, :]) * HIDDEN
        for layer in self.layers:
            states = layer(states, hidden)
        scores = self.token_scores(states)
        pair = torch.tanh(self.pair(states[:, 0]))
        judged = self.judgements(pair)
        causes = len(YES_NO) + len(CAUSES)
        return Reading(
            start=scores[..., 0],
            end=scores[..., 1],
            sentence=scores[..., 2],
            answers=self.pair_score(pair)[:, 0],
            missed=self.missed_score(states)[..., 0],
            yes_no=judged[:, : len(YES_NO)],
            cause=judged[:, len(YES_NO) : causes],
            claim=judged[:, causes:],
        )


class Layer(nn.Module):
    """Self-attention and feed-forward, each with the norm behind the sum, as in BERT."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.scale = (shape.width // shape.heads) ** -0.5
        self.query = nn.Linear(shape.width, shape.width)
        self.key = nn.Linear(shape.width, shape.width)
        self.value = nn.Linear(shape.width, shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.out_norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.widen = nn.Linear(shape.width, shape.inner_width)
        self.narrow = nn.Linear(shape.inner_width, shape.width)
        self.narrow_norm = nn.LayerNorm(shape.width, eps=1e-12)

    def forward(self, states: Tensor, hidden: Tensor) -> Tensor:
        """States after this layer, [batch, token, width]."""
        # Written out: the fused kernel's backward pass takes several times as long on a CPU.
        query = self._by_head(self.query(states) * self.scale)
        scores = query @ self._by_head(self.key(states)).transpose(2, 3)
        scores = scores + hidden.to(scores.dtype)
        # Autocast would keep the weights, the largest tensors of all, in 32 bits.
        with torch.autocast(states.device.type, enabled=False):
            weights = functional.softmax(scores, dim=-1)
        attended = weights @ self._by_head(self.value(states))
        states = self.out_norm(states + self.out(attended.transpose(1, 2).flatten(2)))
        return self.narrow_norm(states + self.narrow(functional.gelu(self.widen(states))))

    def _by_head(self, states: Tensor) -> Tensor:
        return states.unflatten(2, (self.heads, -1)).transpose(1, 2)


def load_encoder_weights(reader: Reader, path: Path) -> None:
    """Start from the weights of a BERT as its authors publish them (safetensors); scores stay new."""
    from safetensors.torch import load_file

    published = load_file(path)
    named = {ours: published[theirs] for ours, theirs in _published_names(reader).items()}
    reader.load_state_dict(named, strict=False)


def _published_names(reader: Reader) -> dict[str, str]:
    """Our names of the encoder's weights, and the names in the published file."""
    renamed = {"words": "word", "positions": "position", "segments": "token_type"}
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "out_norm": "attention.output.LayerNorm",
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "narrow_norm": "output.LayerNorm",
    }
    names = {}
    for ours in reader.state_dict():
        first, _, rest = ours.partition(".")
        if first in renamed:
            names[ours] = f"embeddings.{renamed[first]}_embeddings.weight"
        elif first == "norm":
            names[ours] = f"embeddings.LayerNorm.{rest}"
        elif first == "layers":
            number, part, kind = rest.split(".")
            names[ours] = f"encoder.layer.{number}.{parts[part]}.{kind}"
    return names
