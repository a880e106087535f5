"""Teaching a policy to look one move ahead: `python -m training.worth`.

    python -m training.worth runs/mine/policy.safetensors --out better.safetensors

For that it needs to know what positions are worth. A second network learns each seat's chance to
win from games of the heuristic, of which there are thousands in a second. Each epoch of a game
begins with moves of which some stray, so that the network sees what the heuristic would not have
done. An epoch is paid by who won, or before the last one by what `agents.judgement` makes of its
end, which leaves far less to luck. The network goes into the policy's file, beside the policy.
"""

import argparse
import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import Progress
from torch import nn
from torch.nn.functional import cross_entropy

from agents.advice import POSITION_SIZE, Scratch, advise_on_seats, judge_seats, new_scratch
from agents.heuristic import choose
from agents.layers import Floats, Layer
from agents.policy import BUNDLED_FILE, Policy, PolicyError, load_policy, save_policy
from ra_env import Rules
from ra_env._jit import njit, njit_apart
from ra_env.actions import NUM_ACTIONS
from ra_env.layout import (
    EPOCH,
    NUM_PLAYERS,
    OVER,
    PHASE,
    STATE_SIZE,
    TURN,
    State,
    copy_row,
    count_bits,
    starting_row,
)
from ra_env.legality import legal_actions, nth_action
from ra_env.observation import MEMORY, observe
from ra_env.rng import below, mix, next_word
from ra_env.rules import MAX_PLAYERS
from ra_env.scoring import rank
from ra_env.transitions import deal, step
from training.learner import falling, has_bfloat16

TABLES: Final = (4, 3, 4, 5, 2)
"""Players at the tables, again and again."""
HIDDEN: Final = (512, 256)
LEARNING_RATE: Final = 1e-3
WEIGHT_DECAY: Final = 1e-3
BATCH: Final = 4096
PART: Final = 8 * BATCH
"""Positions that a thread plays before it hands them over."""
KEPT: Final = 15
"""Of so many positions one is kept, and the first one after the random moves."""
MOST_KEPT: Final = 64
"""In an epoch."""
STRAY_MOVES: Final = 16
"""For each seat: an epoch begins with up to so many moves, some of which stray."""
STRAYING: Final = 0.25
"""Share of them that stray, at most, in an epoch; the last one always does."""
SOFTNESS: Final = 1.5
"""Most of those are drawn like this: an action worth so many points more is e times as likely."""
BLIND: Final = 0.3
"""Share of those that are drawn blindly."""


# --- games ---------------------------------------------------------------------------------------


@njit
def _uniform(word: np.uint64) -> float:
    return (float(mix(word) >> np.uint64(11)) + 0.5) * 2.0**-53


@njit
def _stray_action(bits: int, worths: NDArray[np.float64], word: np.uint64) -> int:
    """Some other action than the best, perhaps."""
    word = mix(word)
    if _uniform(word) < BLIND:
        return nth_action(bits, below(next_word(word), count_bits(bits)))
    most, chosen = -np.inf, 0
    for action in range(NUM_ACTIONS):
        if (bits >> action) & 1:
            word = next_word(word)
            liked = worths[action] - SOFTNESS * math.log(-math.log(_uniform(word)))
            if liked > most:
                most, chosen = liked, action
    return chosen


@njit_apart
def _stray(state: State, luck: np.uint64, word: np.uint64, scratch: Scratch) -> np.uint64:
    """Play into an epoch, not always as the heuristic would; returns the bag's random word."""
    epoch = state[EPOCH]
    moves = below(word, STRAY_MOVES * int(state[NUM_PLAYERS]))
    word = next_word(word)
    straying = STRAYING * _uniform(word) ** 2
    bits = legal_actions(state)
    while bits != 0 and moves > 0 and state[EPOCH] == epoch:
        moves -= 1
        word = next_word(word)
        action = choose(state, scratch.parameters, scratch.work, scratch.worths)
        if bits & (bits - 1) != 0 and (moves == 0 or _uniform(word) < straying):
            action = _stray_action(bits, scratch.worths, word)
        luck = step(state, action, luck)
        bits = legal_actions(state)
    return luck


@njit_apart
def _finish_epoch(
    state: State, luck: np.uint64, word: np.uint64, scratch: Scratch, kept: NDArray[np.int16]
) -> tuple[int, np.uint64]:
    """Let heuristics play to the end of the epoch, and keep some of the positions before a turn:
    their number, and the bag's random word."""
    epoch = state[EPOCH]
    count = 0
    while state[PHASE] != OVER and state[EPOCH] == epoch:
        word = next_word(word)
        if state[PHASE] == TURN and count < MOST_KEPT and (count == 0 or below(word, KEPT) == 0):
            copy_row(state, kept[count])
            count += 1
        luck = step(state, choose(state, scratch.parameters, scratch.work, scratch.worths), luck)
    return count, luck


@njit
def _play(
    starts: NDArray[np.int16],
    word: np.uint64,
    state: State,
    kept: NDArray[np.int16],
    paid: NDArray[np.float64],
    scratch: Scratch,
    inputs: Floats,
    results: Floats,
) -> None:
    """Fill `inputs` with positions, each as one of the seats sees it, and `results (B, 5)` with how
    their epochs ended, from that seat on."""
    filled = game = 0
    while filled < len(inputs):
        copy_row(starts[game % len(starts)], state)
        game += 1
        word = next_word(word)
        luck = deal(state, mix(word))
        while state[PHASE] != OVER and filled < len(inputs):
            word = next_word(word)
            luck = _stray(state, luck, mix(word), scratch)
            word = next_word(word)
            count, luck = _finish_epoch(state, luck, mix(word), scratch, kept)
            _pay(state, scratch, paid)
            count = min(count, len(inputs) - filled)
            for i in range(count):
                word = next_word(word)
                num_players = int(state[NUM_PLAYERS])
                seat = below(word, num_players)
                observe(kept[i], seat, MEMORY, inputs[filled])
                advise_on_seats(kept[i], seat, scratch, inputs[filled])
                for place in range(MAX_PLAYERS):
                    is_there = place < num_players
                    other = (seat + place) % num_players
                    results[filled, place] = paid[other] if is_there else 0.0
                filled += 1


@njit
def _pay(state: State, scratch: Scratch, out: NDArray[np.float64]) -> None:
    """What the end of an epoch is worth to each seat: its chance to win."""
    if state[PHASE] != OVER:
        judge_seats(state, scratch)
    for seat in range(state[NUM_PLAYERS]):
        if state[PHASE] == OVER:
            out[seat] = 1.0 if rank(state, seat) == 0 else 0.0
        else:
            out[seat] = scratch.chances[seat]


def play(seed: int | Sequence[int], count: int) -> tuple[Floats, Floats]:
    """So many positions of the heuristic's games, in random order, and how their epochs ended."""
    rng = np.random.default_rng(seed)
    inputs = np.zeros((count, POSITION_SIZE), np.float32)
    results = np.zeros((count, MAX_PLAYERS), np.float32)
    _play(
        np.stack([starting_row(Rules(players)) for players in TABLES]),
        rng.integers(2**64, dtype=np.uint64),
        np.zeros(STATE_SIZE, np.int16),
        np.zeros((MOST_KEPT, STATE_SIZE), np.int16),
        np.zeros(MAX_PLAYERS),
        new_scratch(),
        *(inputs, results),
    )
    order = rng.permutation(count)
    return inputs[order], results[order]


# --- the network ---------------------------------------------------------------------------------


def new_layers(seed: int) -> Any:
    """A network that knows nothing yet."""
    torch.manual_seed(seed)
    sizes = (POSITION_SIZE, *HIDDEN, MAX_PLAYERS)
    return nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))


def _logits(layers: Any, inputs: Floats) -> torch.Tensor:
    """One number for each seat, from the one who looks on."""
    *hidden, last = layers
    x = torch.from_numpy(inputs)
    with torch.autocast("cpu", torch.bfloat16, enabled=has_bfloat16()):
        for layer in hidden:
            x = torch.relu(layer(x))
    logits: torch.Tensor = last(x.float())
    return logits


def to_numpy(layers: Any) -> list[Layer]:
    """The network as a policy has it."""
    return [(x.weight.detach().numpy().copy(), x.bias.detach().numpy().copy()) for x in layers]


def parts(seed: int, count: int, threads: int) -> Iterator[tuple[Floats, Floats]]:
    """Positions without end, `count` at a time, played by so many threads beside the caller."""
    with ThreadPoolExecutor(threads) as pool:
        number = 0
        waiting: deque[Any] = deque()
        while True:
            while len(waiting) < 2 * threads:
                waiting.append(pool.submit(play, [seed, number], count))
                number += 1
            yield waiting.popleft().result()


def learn(layers: Any, minutes: float, seed: int, threads: int) -> dict[str, float]:
    """Teach a network for so long; returns facts about it."""
    optimiser = torch.optim.AdamW(layers.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    positions, error = 0, math.nan
    play(seed, 8)  # compiles
    with Progress(*Progress.get_default_columns(), "{task.fields[found]}") as progress:
        task = progress.add_task("worth", total=60 * minutes, found="")
        started = time.perf_counter()
        for inputs, results in parts(seed, PART, threads):
            seconds = time.perf_counter() - started
            found = f"{positions:,} positions, error {error:.4f}"
            progress.update(task, completed=seconds, found=found)
            if seconds >= 60 * minutes:
                break
            for group in optimiser.param_groups:
                group["lr"] = LEARNING_RATE * falling(seconds / (60 * minutes))
            error = _learn_part(layers, optimiser, inputs, results)
            positions += len(inputs)
    return {"positions": positions, "minutes": minutes, "error": error}


def _learn_part(layers: Any, optimiser: Any, inputs: Floats, results: Floats) -> float:
    """One pass; returns the mean error: minus the logarithm of the chance of what happened."""
    errors = []
    for start in range(0, len(inputs), BATCH):
        some = slice(start, start + BATCH)
        error: Any = cross_entropy(_logits(layers, inputs[some]), torch.from_numpy(results[some]))
        optimiser.zero_grad()
        error.backward()
        optimiser.step()
        errors.append(error.item())
    return float(np.mean(errors))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description="Teach a policy to look one move ahead.")
    parser.add_argument("policy", type=_policy, help="a policy file, or ppo: the bundled one")
    parser.add_argument("--out", type=Path, required=True, help="the new policy file")
    taken = "a policy file, or ppo, whose network is taken over, in place of learning one"
    parser.add_argument("--take", type=_policy, help=taken)
    parser.add_argument("--minutes", type=float, default=25.0, help="[%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="[%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="that play [%(default)s]")
    given = parser.parse_args(arguments)
    policy: Policy = given.policy
    donor: Policy | None = given.take
    try:
        if not 0 < given.minutes < math.inf or given.threads < 1 or given.seed < 0:
            raise ValueError("minutes must be above 0, threads at least 1, and seed at least 0")
        if not given.out.parent.is_dir():
            raise ValueError(f"there is no folder {given.out.parent}")
        if policy.view != "memory":
            raise ValueError(f"the policy sees less (view {policy.view!r}) than who looks ahead")
        if donor is not None and not donor.worth:
            raise ValueError("the policy to take from does not look ahead itself")
    except ValueError as error:
        parser.error(str(error))
    if donor is not None:
        worth, facts = donor.worth, donor.metadata.get("worth", {})
    else:
        torch.set_num_threads(1)  # the games need the others
        layers = new_layers(given.seed)
        facts = learn(layers, given.minutes, given.seed, given.threads)
        worth = to_numpy(layers)
    metadata = policy.metadata | {"worth": facts}
    save_policy(given.out, replace(policy, worth=worth).tensors(), metadata)


def _policy(name: str) -> Policy:
    try:
        return load_policy(BUNDLED_FILE if name == "ppo" else name)
    except PolicyError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    main()
