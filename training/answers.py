"""Answers of a search to what a policy is in doubt about.

    python -m training.answers runs/mine/policy.safetensors --out runs/answers

The policy plays, at some tables among heuristics, at others among copies of itself. Where it is in
doubt, and now and then where it is not, tree search is asked, which is far slower and plays
better: by default `ppo-mcts`, which this policy guides. `python -m training.study` learns from the
answers.
Processes with different seeds may write into one folder at the same time.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from agents.mcts import MCTS
from agents.policy import PolicyError
from agents.ppo import PPO
from agents.ppo_mcts import PPOMCTS
from ra_env.agent import AgentError, make_agent
from ra_env.batch import check_array, check_legal, check_states
from ra_env.errors import IllegalAction
from ra_env.files import whole_file
from ra_env.selfplay import SelfPlay
from training.opponents import Opponents

FORMAT: Final = "ra-answers/1"
TABLES: Final = (2, 3, 4, 5, 4, 3, 4, 5)
"""Players at the tables, again and again."""
GAMES: Final = 64
HEURISTICS: Final = 0.6
"""Share of the tables at which the policy has one seat and heuristics have the others."""
SURE: Final = 0.97
"""A policy is in doubt when no action has a higher probability than this."""
SURE_SHARE: Final = 0.05
"""Share of the other decisions in which the search is asked too."""
LEAST: Final = 0.3
"""Positions inside the tree count as well, if so large a share of the simulations came there."""
SIMS: Final = 150
"""Simulations for an answer by default: many answers teach more than fewer, better ones."""
SHARD: Final = 5000
"""Answers in a file."""


class AnswersError(ValueError):
    """Answers that cannot be learnt from."""


class Answers(NamedTuple):
    """Positions, and what the search plays there."""

    rows: NDArray[np.int16]
    actions: NDArray[np.int64]
    stakes: NDArray[np.float32]
    """How much of the chance to win the next best action would lose."""


def play(
    policy: PPO, num_games: int, seed: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int16], NDArray[np.float32]]]:
    """Let the policy play on and on, by its probabilities. Each step yields the positions in which
    it is on turn, and these probabilities."""
    games = SelfPlay(TABLES, num_games, seed)
    opponents = Opponents(games.num_players, HEURISTICS, ("heuristic",), 1, rng)
    while True:
        chances = probabilities(policy, games.states)
        own = opponents.is_learners_turn(games.seats)
        yield games.states[own], chances[own]
        actions = (chances / rng.exponential(size=chances.shape)).argmax(axis=1)
        opponents.act(games.seats, games.states, games.observations, games.masks, actions)
        games.step(actions)
        opponents.seat_players(np.flatnonzero(games.done))


def probabilities(policy: PPO, states: NDArray[np.int16]) -> NDArray[np.float32]:
    """The policy's probability of each action in each position."""
    logits, _ = policy.evaluate(states)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def ask(policy: PPO, search: MCTS, seed: int) -> Iterator[Answers]:
    """Let the policy play, and ask the search where it is in doubt."""
    rng = np.random.default_rng(seed)
    for positions, chances in play(policy, GAMES, seed, rng):
        for position in positions[_is_asked(chances, rng)]:
            search.search(position, rng.integers(2**64, dtype=np.uint64))
            rows, actions, stakes = search.answers(round(LEAST * search.sims))
            is_kept = _is_asked(probabilities(policy, rows), rng)
            is_kept[0] = True
            yield Answers(rows[is_kept], actions[is_kept], stakes[is_kept])


def _is_asked(chances: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.bool_]:
    is_sure = chances.max(axis=1) >= SURE
    is_asked: NDArray[np.bool_] = ~is_sure | (rng.random(len(is_sure)) < SURE_SHARE)
    return is_asked


def save_answers(path: Path, answers: Sequence[Answers]) -> None:
    """Write a file of answers, whole or not at all."""
    joined = _join(answers)
    with whole_file(path) as file:
        np.savez_compressed(file, format=np.array(FORMAT), **joined._asdict())


def _join(parts: Sequence[Answers]) -> Answers:
    return Answers(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def load_answers(folder: str | Path) -> Answers:
    """All answers of a folder. `AnswersError` says which file cannot be used, and why."""
    files = sorted(Path(folder).glob("*.npz"))
    if not files:
        raise AnswersError(
            f"there are no answers in {folder}; `python -m training.answers` collects some"
        )
    return _join([_load_file(file) for file in files])


def _load_file(path: Path) -> Answers:
    try:
        with np.load(path, allow_pickle=False) as content:
            if str(content["format"]) != FORMAT:
                raise ValueError(f"its format is {str(content['format'])!r}, not {FORMAT!r}")
            answers = Answers(*(content[name] for name in Answers._fields))
        check_states(answers.rows)
        check_array("actions", answers.actions, np.int64, 1)
        check_array("stakes", answers.stakes, np.float32, 1)
        if not len(answers.rows) == len(answers.actions) == len(answers.stakes):
            raise ValueError("rows, actions and stakes are not equally many")
        if not np.isfinite(answers.stakes).all():
            raise ValueError("some stakes are not finite")
        check_legal(answers.rows, answers.actions)
    except (BadZipFile, EOFError, IllegalAction, KeyError, OSError, ValueError) as error:
        raise AnswersError(f"{path} holds no answers, or is damaged: {error}") from None
    return answers


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description="Ask tree search what a policy is in doubt about.")
    parser.add_argument("policy", help="a policy file, or ppo: the bundled one")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the answers")
    parser.add_argument(
        "--search", help="who is asked [ppo-mcts:sims=150, with the policy as its guide]"
    )
    parser.add_argument("--count", type=int, default=20_000, help="answers [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="[%(default)s]")
    given = parser.parse_args(arguments)
    try:
        if given.count < 1 or given.seed < 0:
            raise ValueError("count must be at least 1, and seed at least 0")
        policy = make_agent(given.policy)
        search = make_agent(given.search) if given.search else None
        if search is None and isinstance(policy, PPO):
            search = PPOMCTS.of(policy, SIMS)
        if not isinstance(policy, PPO) or not isinstance(search, MCTS) or search.ms:
            raise ValueError("the policy must be a policy file, and --search an mcts with sims")
        if list(given.out.glob(f"{given.seed}-*.npz")):
            raise ValueError(f"{given.out} has answers of seed {given.seed} already")
    except (AgentError, PolicyError, ValueError) as error:
        parser.error(str(error))
    given.out.mkdir(parents=True, exist_ok=True)
    parts: list[Answers] = []
    asked, number = ask(policy, search, given.seed), 0
    for _ in track(range(-(-given.count // SHARD)), "answers"):
        size = 0
        while size < min(SHARD, given.count):
            parts.append(next(asked))
            size += len(parts[-1].actions)
        save_answers(given.out / f"{given.seed}-{number}.npz", parts)
        parts, number = [], number + 1


if __name__ == "__main__":
    main()
