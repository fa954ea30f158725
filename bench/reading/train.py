"""Train the networks, and store their weights: python -m bench.reading.train.

It needs PyTorch, which is no dependency of the project: pip install torch. With --without SOURCES
it trains without them, prints how well the networks judge them, and stores their answers instead.
"""

from __future__ import annotations

import argparse
import copy
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from bench.reading.examples import FATES, HELD_OUT, LABELS, Example, examples, labelled_turns

WEIGHTS = Path(__file__).parents[2] / "src/erstwhile/learning/reading/weights.npz"
WIDTH = 64
COMPONENTS = 256
"""The main directions of the features that are trained on; others are mostly noise."""
HIDDEN = 96
BATCH = 32
_NOTHING = -1e4


class Network(nn.Module):
    """What `erstwhile.learning.reading.network` computes, with dropout."""

    def __init__(self, figures: tuple[int, int]) -> None:
        super().__init__()
        self.w = nn.Linear(COMPONENTS, WIDTH)
        self.flag, self.typ = nn.Embedding(4, WIDTH), nn.Embedding(3, WIDTH)
        self.dist = nn.Linear(1, WIDTH, bias=False)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 5, padding=2)
        self.q, self.kk = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.c = nn.Linear(4 * WIDTH, WIDTH)
        self.h0 = _head(9 * WIDTH + figures[0], len(LABELS) + 1)
        self.h1 = _head(11 * WIDTH + figures[1], len(FATES))
        self.dropout = nn.Dropout(0.2)

    def forward(self, batch: Sequence[Tensor], task: int) -> Tensor:
        rows, parts, distances, mask, first, first_mask, second, second_mask, figures = batch
        near = distances < 1.2
        read = self.w(self.dropout(rows)) + self.flag(parts) + self.dist(distances[..., None])
        read = _gelu(read + self.typ.weight[0])
        spread = self.conv((read * mask[..., None]).transpose(1, 2)).transpose(1, 2)
        read = read + _gelu(spread)
        quote = mask & (parts == 2)
        chosen = [mask & near & (parts == 1), mask & near & (parts == 3)]
        chosen += [mask & (parts != 0), mask & (parts == 0)]
        pooled = [_highest(read, quote), _mean(read, quote)]
        pooled += [_highest(read, each) for each in chosen]
        statement = self._encoded(first, 1)
        pooled += [*self._beside(statement, read, first_mask, mask)]
        pooled += [_highest(statement, first_mask)]
        if task == 0:
            return self.h0(torch.cat([*pooled, figures], -1))
        successor = self._encoded(second, 2)
        some = second_mask | ~second_mask.any(1, keepdim=True)
        pooled += self._beside(statement, successor, first_mask, some)
        return self.h1(torch.cat([*pooled, figures], -1))

    def _encoded(self, rows: Tensor, kind: int) -> Tensor:
        return _gelu(self.w(self.dropout(rows)) + self.typ.weight[kind])

    def _beside(
        self, rows: Tensor, others: Tensor, mask: Tensor, others_mask: Tensor
    ) -> list[Tensor]:
        like = torch.einsum("bid,bjd->bij", self.q(rows), self.kk(others)) / WIDTH**0.5
        like = like.masked_fill(~others_mask[:, None], _NOTHING).softmax(-1)
        near = torch.einsum("bij,bjd->bid", like, others)
        made = _gelu(self.c(torch.cat([rows, near, rows - near, rows * near], -1)))
        return [_highest(made, mask), _mean(made, mask)]


def _head(size: int, answers: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Dropout(0.35),
        nn.Linear(size, HIDDEN),
        nn.GELU(approximate="tanh"),
        nn.Dropout(0.35),
        nn.Linear(HIDDEN, answers),
    )


def _gelu(rows: Tensor) -> Tensor:
    return functional.gelu(rows, approximate="tanh")


def _highest(rows: Tensor, mask: Tensor) -> Tensor:
    made = rows.masked_fill(~mask[..., None], _NOTHING).max(1).values
    return torch.where(mask.any(1)[:, None], made, torch.zeros_like(made))


def _mean(rows: Tensor, mask: Tensor) -> Tensor:
    return (rows * mask[..., None]).sum(1) / mask.sum(1).clamp(min=1)[:, None]


class Components:
    """The main directions of the features, each of the same size."""

    def __init__(self, found: Sequence[Example]) -> None:
        chosen = np.random.default_rng(0).permutation(len(found))[:4000]
        rows = np.concatenate(
            [part[::4] for at in chosen for part in (found[at].passage.rows, found[at].statement)]
        ).astype(np.float32)
        self.mean = rows.mean(0)
        sizes, directions = np.linalg.eigh(np.cov((rows - self.mean).T))
        kept = directions[:, ::-1][:, :COMPONENTS] / np.sqrt(sizes[::-1][:COMPONENTS] + 1e-3)
        self.matrix = kept.astype(np.float32)

    def of(self, rows: NDArray[np.float32] | None) -> NDArray[np.float32]:
        if rows is None:
            return np.zeros((0, COMPONENTS), np.float32)
        made: NDArray[np.float32] = (rows.astype(np.float32) - self.mean) @ self.matrix
        return made


def batch_of(found: Sequence[Example]) -> list[Tensor]:
    rows, mask = _padded([each.passage.rows for each in found])
    parts, _ = _padded([each.passage.parts for each in found])
    distances, _ = _padded([each.passage.distances for each in found])
    first = _padded([each.statement for each in found])
    empty = np.zeros((0, COMPONENTS), np.float32)
    second = _padded([empty if each.successor is None else each.successor for each in found])
    figures = torch.tensor([each.figures for each in found])
    return [rows, parts.long(), distances, mask, *first, *second, figures]


def _padded(found: Sequence[NDArray[Any]]) -> tuple[Tensor, Tensor]:
    longest = max(1, *(len(each) for each in found))
    made = np.zeros((len(found), longest, *found[0].shape[1:]), np.float32)
    mask = np.zeros((len(found), longest), bool)
    for at, each in enumerate(found):
        made[at, : len(each)], mask[at, : len(each)] = each, True
    return torch.from_numpy(made), torch.from_numpy(mask)


def trained(found: Sequence[Example], rounds: int, seed: int) -> Network:
    """Return the running mean of the weights of a network while it is trained."""
    torch.manual_seed(seed)
    tasks = [[each for each in found if each.task == task] for task in (0, 1)]
    network = Network((len(tasks[0][0].figures), len(tasks[1][0].figures)))
    steady = copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.05)
    steps = rounds * sum(len(each) // BATCH for each in tasks)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps + 1)
    for number in range(rounds):
        network.train()
        for task, chosen in _shuffled(tasks, number + 100 * seed):
            loss = _loss(network(batch_of(chosen), task), chosen, task)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            with torch.no_grad():
                for kept, new in zip(steady.parameters(), network.parameters(), strict=True):
                    kept.lerp_(new, 0.006)
        print(f"round {number + 1} of {rounds}, seed {seed}", flush=True)
    return steady.eval()


def _shuffled(tasks: Sequence[Sequence[Example]], seed: int) -> list[tuple[int, list[Example]]]:
    random = np.random.default_rng(seed)
    batches = [
        (task, [found[at] for at in places])
        for task, found in enumerate(tasks)
        for places in np.array_split(random.permutation(len(found)), len(found) // BATCH)
    ]
    return [batches[at] for at in random.permutation(len(batches))]


def _loss(made: Tensor, found: Sequence[Example], task: int) -> Tensor:
    answers = torch.tensor([each.answer for each in found])
    if task == 1:
        return functional.cross_entropy(made, answers, label_smoothing=0.03)
    said = functional.binary_cross_entropy_with_logits(made[:, -1], (answers == 0).float())
    why = functional.cross_entropy(made[:, :-1], answers, label_smoothing=0.05)
    return said + 0.5 * why


def answers(networks: Sequence[Network], found: Sequence[Example]) -> list[NDArray[np.float32]]:
    """Return the mean answer of the networks to each example."""
    made = list[NDArray[np.float32]]()
    with torch.no_grad():
        for each in found:
            one = [network(batch_of([each]), each.task)[0].numpy() for network in networks]
            made.append(np.mean(one, axis=0))
    return made


def stored(networks: Sequence[Network], components: Components) -> dict[str, NDArray[np.float16]]:
    """Return the weights by name, with the choice of components folded into the first layer."""
    arrays = dict[str, NDArray[np.float16]]()
    for number, network in enumerate(networks):
        weights = {name: value.numpy() for name, value in network.state_dict().items()}
        first = weights.pop("w.weight")
        weights["project"] = components.matrix @ first.T
        weights["shift"] = weights["w.bias"] - components.mean @ weights["project"]
        for name, value in weights.items():
            arrays[f"{number}/{name}"] = value.astype(np.float16)
    return arrays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", default="", help="sources to judge, separated by commas")
    parser.add_argument("--answers", type=Path, help="where to store the answers to them")
    parser.add_argument("--cache", type=Path, help="where the features are kept between runs")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--networks", type=int, default=3)
    given = parser.parse_args()
    torch.set_num_threads(1)
    found = _examples(given.cache)
    components = Components(found)
    without = [each for each in given.without.split(",") if each]
    learned, judged = list[Example](), list[Example]()
    for each in found:
        smaller = _reduced(each, components)
        if each.source.endswith(HELD_OUT) or each.source in without:
            judged.append(smaller)
        else:
            learned.append(smaller)
    print(f"{len(learned)} examples to learn from, {len(judged)} to judge", flush=True)
    networks = [trained(learned, given.rounds, seed) for seed in range(given.networks)]
    made = answers(networks, judged)
    report(judged, made)
    if given.answers:
        kept = [(e.source, e.turn, e.task, e.answer, e.named, e.text, e.quote) for e in judged]
        given.answers.write_bytes(pickle.dumps(list(zip(kept, made, strict=True))))
    if not without:
        arrays: dict[str, Any] = dict(stored(networks, components))
        np.savez_compressed(WEIGHTS, **arrays)


def _examples(cache: Path | None) -> list[Example]:
    """Return the examples; those of turns in the cache as they are there."""
    known = dict[str, list[Example]]()
    if cache and cache.exists():
        known = pickle.loads(cache.read_bytes())  # noqa: S301 (our own file)
    found, before = list[Example](), len(known)
    for source, turn in labelled_turns():
        name = f"{source}/{turn['id']}"
        if name not in known:
            known[name] = list(examples([(source, turn)]))
        found += known[name]
    if cache and len(known) > before:
        cache.write_bytes(pickle.dumps(known))
    return found


def _reduced(each: Example, components: Components) -> Example:
    return replace(
        each,
        passage=replace(each.passage, rows=components.of(each.passage.rows)),
        statement=components.of(each.statement),
        successor=None if each.successor is None else components.of(each.successor),
    )


def report(found: Sequence[Example], made: Sequence[NDArray[np.float32]]) -> None:
    """Print how often the answers are right, and how well they order, by source and task."""
    for source in sorted({each.source for each in found}):
        for task in (0, 1):
            pairs = [
                (value[-1] if task == 0 else np.logaddexp(*value[1:]) - value[0], each)
                for each, value in zip(found, made, strict=True)
                if each.task == task and each.source == source and each.named
            ]
            odds = np.array([value for value, _ in pairs])
            right = np.array([(each.answer == 0) == (task == 0) for _, each in pairs])
            order = np.mean(odds[right][:, None] > odds[~right][None])
            share = np.mean((odds > 0) == right)
            print(f"{source}, task {task}: {share:.3f} of {len(pairs)} right, area {order:.3f}")


if __name__ == "__main__":
    main()
