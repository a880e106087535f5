"""Learning the answers of a search, and forgetting nothing: `python -m training.study`.

    python -m training.study POLICY --answers runs/answers --out better.safetensors

The answers say what is better where a policy is in doubt. Where it is sure, which is most of what
it plays, it has to stay as it is: positions from its own games hold it there.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from torch import nn
from torch.nn.functional import cross_entropy

from agents.policy import Policy, PolicyError, load_policy, save_policy, with_advice
from agents.ppo import PPO, look
from ra_env.observation import view_id
from training.answers import SURE, Answers, AnswersError, load_answers, play
from training.learner import ILLEGAL, falling

BATCH: Final = 1024
LEARNING_RATE: Final = 1e-3
STAKE: Final = 0.02
WEIGHTS: Final = (0.1, 4.0)
"""An answer with so much at stake has weight 1, one with more or less another within limits."""
GAMES: Final = 1024
FIRST_STEPS: Final = 150
"""Steps before the first position is kept, so that games are at all stages."""
PATIENCE: Final = 200
"""Steps after which a policy must have been sure of something."""
KEPT: Final = 0.1
"""Share of the positions that are kept, so that few are of the same game."""


class Habits(NamedTuple):
    """Positions in which a policy is sure, and its probabilities there."""

    rows: NDArray[np.int16]
    chances: NDArray[np.float32]


def habits_of(policy: Policy, count: int, seed: int) -> Habits:
    """So many positions in which the policy is sure, from its games."""
    rng = np.random.default_rng(seed)
    parts: list[Habits] = []
    for step, (rows, chances) in enumerate(play(PPO.of(policy), GAMES, seed, rng)):
        is_kept = (chances.max(axis=1) >= SURE) & (rng.random(len(rows)) < KEPT)
        if step >= FIRST_STEPS:
            parts.append(Habits(rows[is_kept], chances[is_kept]))
        found = sum(len(part.rows) for part in parts)
        if found >= count:
            break
        if step >= FIRST_STEPS + PATIENCE and not found:
            raise ValueError("the policy is never sure of anything; train it first")
    rows, chances = (np.concatenate(arrays)[:count] for arrays in zip(*parts, strict=True))
    return Habits(rows, chances)


def study(policy: Policy, answers: Answers, habits: Habits, passes: int, seed: int) -> Policy:
    """A policy that has learnt the answers, in so many passes, and kept the habits.

    What it expects, its value, stays as it was but for the layers that it shares.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    layers = nn.ModuleList(_to_torch(layer) for layer in (*policy.trunk, policy.policy))
    optimiser = torch.optim.Adam(layers.parameters(), LEARNING_RATE)
    batches = list(_batches(rng, len(answers.actions), passes))
    for number, some in enumerate(track(batches, "study")):
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * falling(number / len(batches))
        logits = _logits(layers, policy, answers.rows[some])
        wanted = torch.from_numpy(answers.actions[some])
        weights = torch.from_numpy(weights_of(answers.stakes[some]))
        error: Any = (weights * cross_entropy(logits, wanted, reduction="none")).mean()
        kept = rng.integers(0, len(habits.rows), BATCH)
        logits = _logits(layers, policy, habits.rows[kept])
        error = error + cross_entropy(logits, torch.from_numpy(habits.chances[kept]))
        optimiser.zero_grad()
        error.backward()
        optimiser.step()
    *trunk, head = (_to_numpy(layer) for layer in layers)
    return Policy(trunk, head, policy.value, policy.metadata)


def weights_of(stakes: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much each answer counts: what makes no difference is mostly the search's noise."""
    weights = np.clip(stakes / STAKE, *WEIGHTS)
    return np.asarray(weights / weights.mean(), np.float32)


def _batches(rng: np.random.Generator, count: int, passes: int) -> Iterator[NDArray[np.int64]]:
    for _ in range(passes):
        yield from np.array_split(rng.permutation(count), -(-count // BATCH))


def _logits(layers: Any, policy: Policy, rows: NDArray[np.int16]) -> torch.Tensor:
    inputs, illegal = look(rows, view_id(policy.view), policy.adviser)
    x = torch.from_numpy(inputs)
    *trunk, head = layers
    for layer in trunk:
        x = torch.relu(layer(x))
    logits: torch.Tensor = head(x).masked_fill(torch.from_numpy(illegal), ILLEGAL)
    return logits


def _to_torch(layer: tuple[NDArray[np.float32], NDArray[np.float32]]) -> nn.Linear:
    weight, bias = (nn.Parameter(torch.from_numpy(array.copy())) for array in layer)
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    linear.weight, linear.bias = weight, bias
    return linear


def _to_numpy(layer: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description="Learn the answers of a search.")
    parser.add_argument("policy", help="a policy file")
    parser.add_argument("--answers", type=Path, required=True, help="a folder of answers")
    parser.add_argument("--out", type=Path, required=True, help="the new policy file")
    parser.add_argument("--passes", type=int, default=8, help="over the answers [%(default)s]")
    parser.add_argument("--habits", type=int, default=300_000, help="positions [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="[%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="[%(default)s]")
    given = parser.parse_args(arguments)
    try:
        if min(given.passes, given.habits, given.threads) < 1 or given.seed < 0:
            raise ValueError("passes, habits and threads must be at least 1, and seed at least 0")
        if not given.out.parent.is_dir():
            raise ValueError(f"there is no folder {given.out.parent}")
        policy, answers = load_policy(given.policy), load_answers(given.answers)
        if policy.view != "memory":
            raise ValueError(f"{given.policy} sees less (view {policy.view!r}) than who answered")
    except (AnswersError, PolicyError, ValueError) as error:
        parser.error(str(error))
    torch.set_num_threads(given.threads)
    policy = with_advice(policy)
    try:
        habits = habits_of(policy, given.habits, given.seed)
    except ValueError as error:
        parser.error(str(error))
    better = study(policy, answers, habits, given.passes, given.seed)
    facts = {"answers": len(answers.actions), "passes": given.passes, "habits": given.habits}
    save_policy(given.out, better.tensors(), policy.metadata | {"study": facts})


if __name__ == "__main__":
    main()
