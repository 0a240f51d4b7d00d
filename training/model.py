"""The reader: a BERT of six layers that reads question and passage together, with several scores.

For each token: does the short answer start here, does it end here, does the token belong to a unit
(a sentence, item, row or definition) that answers, and, of the question, does the passage fail at
this word. For the pair: does the passage answer; is the answer yes or no; what is missing where it
does not answer; and, where a claim stands in the place of the question, does the passage support or
refute it. All are logits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
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
    distances: int = 0  # how many buckets of distances attention knows; 0: none
    norm_eps: float = 1e-12


MPNET = Shape(width=768, inner_width=3072, layers=12, distances=32, norm_eps=1e-5)
"""all-mpnet-base-v2: a BERT whose attention knows distances too. The teacher."""


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
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.distances = nn.Embedding(shape.distances, shape.heads) if shape.distances else None
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
        if self.distances is not None:
            near = self.distances(distance_buckets(places, self.distances.num_embeddings))
            hidden = hidden + near.permute(2, 0, 1)[None]
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
        self.out_norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.widen = nn.Linear(shape.width, shape.inner_width)
        self.narrow = nn.Linear(shape.inner_width, shape.width)
        self.narrow_norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)

    def forward(self, states: Tensor, hidden: Tensor) -> Tensor:
        """States after this layer, [batch, token, width]."""
        query = self._by_head(self.query(states))
        key, value = self._by_head(self.key(states)), self._by_head(self.value(states))
        if states.is_cuda:
            shown = hidden.to(query.dtype).expand(*query.shape[:3], -1)
            attended = functional.scaled_dot_product_attention(
                query, key, value, shown, scale=self.scale
            )
        else:
            # Written out: the fused kernel's backward pass takes several times as long on a CPU.
            scores = query * self.scale @ key.transpose(2, 3)
            scores = scores + hidden.to(scores.dtype)
            # Autocast would keep the weights, the largest tensors of all, in 32 bits.
            with torch.autocast(states.device.type, enabled=False):
                weights = functional.softmax(scores, dim=-1)
            attended = weights @ value
        states = self.out_norm(states + self.out(attended.transpose(1, 2).flatten(2)))
        return self.narrow_norm(states + self.narrow(functional.gelu(self.widen(states))))

    def _by_head(self, states: Tensor) -> Tensor:
        return states.unflatten(2, (self.heads, -1)).transpose(1, 2)


def distance_buckets(places: Tensor, count: int) -> Tensor:
    """[token, token]: the bucket of the distance from each token to each other, of `count`.

    Half of them are for what lies behind. Of each half the first half hold one distance, the others
    ever more, by logarithm, to 128 tokens; what lies farther is in the last (T5, Raffel et al. 2020).
    """
    distance = places[None, :] - places[:, None]
    half, exact = count // 2, count // 4
    far = distance.abs().clamp(min=1).float() / exact
    by_logarithm = exact + (far.log() / math.log(128 / exact) * (half - exact)).long()
    bucket = torch.where(distance.abs() < exact, distance.abs(), by_logarithm.clamp(max=half - 1))
    return bucket + half * (distance > 0)


def load_encoder_weights(reader: Reader, path: Path) -> None:
    """Start from the weights of a BERT as its authors publish them (safetensors); scores stay new."""
    from safetensors.torch import load_file

    published = load_file(path)
    named = {ours: published[theirs] for ours, theirs in _published_names(reader).items()}
    reader.load_state_dict(named, strict=False)


def load_mpnet_weights(reader: Reader, folder: Path, tokenizer: Tokenizer) -> None:
    """Start from an MPNet, its words in the order of `tokenizer`, whose pieces they are too.

    It has no segments; they begin as nothing. `folder` holds `model.safetensors` and `vocab.txt`.
    """
    from safetensors.torch import load_file

    published = load_file(folder / "model.safetensors")
    names = {"attention.self.query": "attention.attn.q", "attention.self.key": "attention.attn.k"}
    names |= {
        "attention.self.value": "attention.attn.v",
        "attention.output.dense": "attention.attn.o",
    }
    names |= {"attention.output.LayerNorm": "attention.LayerNorm"}
    named = {"distances.weight": published["encoder.relative_attention_bias.weight"]}
    for ours, theirs in _published_names(reader).items():
        for bert, mpnet in names.items():
            theirs = theirs.replace(bert, mpnet)
        if ours not in {"words.weight", "positions.weight", "segments.weight"}:
            named[ours] = published[theirs]
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    place_of = {word: place for place, word in enumerate(words)}
    place_of |= {"[CLS]": place_of["<s>"], "[SEP]": place_of["</s>"], "[PAD]": place_of["<pad>"]}
    place_of |= {"[MASK]": place_of["<mask>"]}
    pieces = [tokenizer.id_to_token(number) for number in range(reader.words.num_embeddings)]
    order = torch.tensor([place_of[piece or ""] for piece in pieces])
    named["words.weight"] = published["embeddings.word_embeddings.weight"][order]
    # The first two positions are its padding.
    places = published["embeddings.position_embeddings.weight"]
    named["positions.weight"] = places[2 : 2 + reader.positions.num_embeddings]
    named["segments.weight"] = torch.zeros_like(reader.segments.weight)
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
