"""Learning the answers of a search, and forgetting nothing: `python -m training.study`.

    python -m training.study POLICY --answers runs/answers --out better.safetensors

The answers say what is better where a policy is in doubt. Where it is sure, which is most of what
it plays, it has to stay as it is: positions from its own games hold it there. Civilizations and
monuments get other names in each batch (`training.symmetry`), so no position is seen twice.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from torch import nn
from torch.nn.functional import cross_entropy

from agents.layers import features
from agents.policy import Policy, PolicyError, load_policy, save_policy, with_advice
from agents.ppo import PPO, look
from ra_env.observation import view_id
from ra_env.selfplay import SelfPlay
from training.answers import SURE, TABLES, Answers, AnswersError, load_answers, play
from training.learner import ILLEGAL, falling, has_bfloat16
from training.symmetry import random_renaming

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
PAID_AT_THE_END: Final = ("win", "placement")
RIDGE: Final = 1.0
"""Keeps weights of features that hardly ever occur small."""
VALUE_GAMES: Final = 4000
"""Games that the value is fitted to."""
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

    What it expects, its value, no longer fits the layers that it shares: see `with_value`.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    layers = nn.ModuleList(_to_torch(layer) for layer in (*policy.trunk, policy.policy))
    optimiser = torch.optim.Adam(layers.parameters(), LEARNING_RATE)
    batches = list(_batches(rng, len(answers.actions), passes))
    for number, some in enumerate(track(batches, "study")):
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * falling(number / len(batches))
        renaming = random_renaming(rng)
        logits = _logits(layers, policy, answers.rows[some][:, renaming.columns])
        wanted = torch.from_numpy(renaming.actions[answers.actions[some]])
        weights = torch.from_numpy(weights_of(answers.stakes[some]))
        error: Any = (weights * cross_entropy(logits, wanted, reduction="none")).mean()
        kept = rng.integers(0, len(habits.rows), BATCH)
        logits = _logits(layers, policy, habits.rows[kept][:, renaming.columns])
        logits = logits[:, torch.from_numpy(renaming.actions)]  # back to the names of the chances
        error = error + cross_entropy(logits, torch.from_numpy(habits.chances[kept]))
        optimiser.zero_grad()
        error.backward()
        optimiser.step()
    *trunk, head = (_to_numpy(layer) for layer in layers)
    return replace(policy, trunk=trunk, policy=head)


def with_value(policy: Policy, games: int, seed: int) -> Policy:
    """The policy with a value that fits how its own games end: by least squares, on its features.

    It is paid as it was in its training, at the end of a game.
    """
    reward = policy.metadata.get("settings", {}).get("reward", "win")
    if reward not in PAID_AT_THE_END:
        raise ValueError(f"the policy is paid by {reward}; study needs {PAID_AT_THE_END}")
    agent = PPO.of(policy, "sample")
    tables = SelfPlay(TABLES, min(games, GAMES), seed, reward=reward)
    size = policy.value[0].shape[1] + 1
    squares, products = RIDGE * np.eye(size), np.zeros(size)
    steps: list[list[tuple[int, NDArray[np.float64]]]] = [[] for _ in range(tables.num_games)]
    actions = np.empty(tables.num_games, np.int64)
    finished = 0
    while finished < games:
        features = _features(policy, tables.states)
        for game, seat in enumerate(tables.seats):
            steps[game].append((int(seat), features[game]))
        agent.act_batch(tables.states, tables.words, actions)
        rewards, done = tables.step(actions)
        for game in np.flatnonzero(done):
            seats, known = zip(*steps[game], strict=True)
            matrix = np.array(known)
            squares += matrix.T @ matrix
            products += matrix.T @ rewards[game, list(seats)]
            steps[game] = []
        finished += int(done.sum())
    solution = np.linalg.solve(squares, products).astype(np.float32)
    return replace(policy, value=(solution[None, :-1], solution[-1:]))


def _features(policy: Policy, rows: NDArray[np.int16]) -> NDArray[np.float64]:
    """What the last shared layer says of positions, and a constant 1."""
    inputs, _ = look(rows, view_id(policy.view), policy.adviser)
    x = features(policy.trunk, inputs)
    return np.hstack([x, np.ones((len(x), 1))]).astype(np.float64)


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
    with torch.autocast("cpu", torch.bfloat16, enabled=has_bfloat16()):
        for layer in trunk:
            x = torch.relu(layer(x))
    logits: torch.Tensor = head(x.float()).masked_fill(torch.from_numpy(illegal), ILLEGAL)
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
        # Habits are the policy's own: what looking ahead adds to them is added when it plays.
        habits = habits_of(replace(policy, worth=[]), given.habits, given.seed)
    except ValueError as error:
        parser.error(str(error))
    better = study(policy, answers, habits, given.passes, given.seed)
    better = with_value(better, VALUE_GAMES, given.seed)
    facts = {"answers": len(answers.actions), "passes": given.passes, "habits": given.habits}
    save_policy(given.out, better.tensors(), policy.metadata | {"study": facts})


if __name__ == "__main__":
    main()
