"""Whether more simulations choose better moves: `python -m benchmarks.decisions`.

A match needs thousands of games to tell two budgets of the search apart that choose the same move
nine times out of ten. So here they are asked in the same positions, those in which a small search
decides in games against heuristics. Where two budgets choose differently, both moves are tried out:
the heuristic plays on for all seats to the end, many times, with the same luck for both moves.

It sees one decision at a time, not how well a search makes use of its own earlier moves.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.mcts import MCTS
from benchmarks.play import first_stream, moves_of
from benchmarks.results import as_list
from benchmarks.simulations import BUDGETS
from benchmarks.statistics import mean_interval
from benchmarks.timing import table
from ra_env import Game
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.agent import Agent, make_agent
from ra_env.layout import OVER, PHASE, SEAT, STATE_SIZE, State, copy_row
from ra_env.rng import mix, next_word
from ra_env.scoring import rank
from ra_env.transitions import step

PLAYER: Final = "mcts:sims=100"
"""Who plays the games that the positions come from."""
FIELD: Final = "heuristic"


class Recorder:
    """An agent that keeps the positions in which another one decides."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.states: list[State] = []

    def act(self, state: State, word: np.uint64) -> int:
        """What the other one plays."""
        self.states.append(state.copy())
        return self._agent.act(state, word)


def positions(players: int, seeds: Sequence[int]) -> Iterator[list[State]]:
    """The decisions of one seat in each game; it sits at each seat in turn."""
    player, field = make_agent(PLAYER), make_agent(FIELD)
    for seed in seeds:
        seat = Recorder(player)
        table: list[Agent] = [field] * players
        table[seed % players] = seat
        for _ in moves_of(Game(players, seed=seed), table):
            pass
        yield seat.states


class Trial:
    """What moves are worth in one position: the share of games that are won after them."""

    def __init__(self, state: State, playouts: int, word: np.uint64) -> None:
        self._state, self._playouts, self._word = state, playouts, word
        self._known: dict[int, float] = {}

    def wins(self, action: int) -> float:
        """The share after this action; with the same luck for each."""
        if action not in self._known:
            scratch = np.zeros(STATE_SIZE, np.int16), tuned_parameters()
            work = np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)
            won = count_wins(self._state, action, self._playouts, self._word, *scratch, *work)
            self._known[action] = won / self._playouts
        return self._known[action]


@njit
def count_wins(
    start: State,
    action: int,
    playouts: int,
    word: np.uint64,
    state: State,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    values: NDArray[np.float64],
) -> int:
    """How many games the seat on turn wins after `action`, if all play on like the heuristic."""
    seat = start[SEAT]
    won = 0
    for _ in range(playouts):
        copy_row(start, state)
        word = next_word(word)
        luck = step(state, action, mix(word))
        while state[PHASE] != OVER:
            luck = step(state, choose(state, parameters, work, values), luck)
        won += 1 if rank(state, seat) == 0 else 0
    return won


def compare(
    players: int, seeds: Sequence[int], budgets: Sequence[int], playouts: int
) -> dict[int, dict[str, Any]]:
    """How much more each budget wins by its choices than the one before it."""
    agents = [MCTS(sims=budget) for budget in budgets]
    gains = np.zeros((len(seeds), len(budgets)))
    different = np.zeros(len(budgets), np.int64)
    decisions = 0
    for game, (seed, states) in enumerate(zip(seeds, positions(players, seeds), strict=True)):
        word = np.uint64(first_stream(np.uint64(seed), players))
        for state in states:
            word = np.uint64(next_word(word))
            chosen = [agent.act(state, np.uint64(mix(word))) for agent in agents]
            trial = Trial(state, playouts, word)
            for i in range(1, len(budgets)):
                if chosen[i] != chosen[i - 1]:
                    different[i] += 1
                    gains[game, i] += trial.wins(chosen[i]) - trial.wins(chosen[i - 1])
        decisions += len(states)
    return {
        budget: {
            "than": budgets[i - 1],
            "games": len(seeds),
            "decisions": decisions,
            "different": float(different[i] / decisions),
            "gain": float(gains[:, i].mean()),
            "gain_ci95": as_list(mean_interval(gains[:, i])),
        }
        for i, budget in enumerate(budgets)
        if i > 0
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Whether more simulations choose better moves.")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=50, help="games that the positions come from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--playouts", type=int, default=600, help="to try out each move")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    budgets = sorted(set(options.budgets))
    if not 2 <= options.players <= 5 or options.seed < 0:
        parser.error("players are 2 to 5, and seeds are not negative")
    if options.games < 2 or options.playouts < 1 or len(budgets) < 2 or budgets[0] < 1:
        parser.error("two games, one playout and two budgets above 0 are the least")
    seeds = range(options.seed, options.seed + options.games)
    results = compare(options.players, seeds, budgets, options.playouts)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    rows: list[tuple[str, ...]] = [
        ("simulations", "than", "other moves", "wins more, in a game's decisions", "95 %")
    ]
    for budget, result in results.items():
        least, most = result["gain_ci95"]
        rows.append(
            (
                str(budget),
                str(result["than"]),
                f"{result['different']:.1%}",
                f"{result['gain']:+.2%}",
                f"{least:+.2%} to {most:+.2%}",
            )
        )
    count = next(iter(results.values()))["decisions"]
    title = f"{options.players} players, {count} decisions in {options.games} games"
    print(table(title, rows))


if __name__ == "__main__":
    main()
