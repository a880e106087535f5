"""Speed of what plays: the learner's seat, all seats at once, and the bundled agents.

Workloads like those of `benchmarks.throughput`, which measures and reports them.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import Heuristic, choose
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.mcts import MCTS
from benchmarks.play import play_blocks
from benchmarks.schedule import match_seating
from benchmarks.timing import Workload
from ra_env import Game, Rules, batch
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.layout import OVER, PHASE
from ra_env.selfplay import SelfPlay
from ra_env.transitions import step
from ra_env.vector import RaVectorEnv

PLAYERS: Final = 4
FIRST_STEPS: Final = 100
"""Steps before the timed ones, so that games are at all stages: in a game a learner decides some
40 times."""
STEPS: Final = 8
SIMULATIONS: Final = 1000
TO_THE_END: Final = 3
"""Ends of epochs that a playout sees: all of them."""


def vector_env(games: int) -> Workload:
    """`RaVectorEnv.step` against random players, for actions chosen beforehand.

    A unit is a decision of the learner, with all that the opponents play until its next one,
    reward, observation and mask, and a new game where one has ended.
    """
    env = RaVectorEnv(games, PLAYERS, opponents="random", seat="random")
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)
    script = []
    for _ in range(FIRST_STEPS + STEPS):
        script.append(random_actions(infos["action_mask"], rng))
        infos = env.step(script[-1])[-1]

    def prepare() -> None:
        env.reset(seed=0)
        for actions in script[:FIRST_STEPS]:
            env.step(actions)

    def run() -> int:
        for actions in script[FIRST_STEPS:]:
            env.step(actions)
        return STEPS * games

    return Workload(run, prepare)


def self_play(games: int) -> Workload:
    """`SelfPlay.step` for actions chosen beforehand, in games at all stages.

    A unit is a decision of the seat on turn, with the forced moves after it, all seats' rewards,
    observation and mask, and a new game where one has ended.
    """
    table = SelfPlay(PLAYERS, games, seed=0)
    rng = np.random.default_rng(0)
    for _ in range(4 * FIRST_STEPS):
        table.step(random_actions(table.masks, rng))
    states, words = table.states.copy(), table.words.copy()
    script = []
    for _ in range(STEPS):
        script.append(random_actions(table.masks, rng))
        table.step(script[-1])

    def run() -> int:
        for actions in script:
            table.step(actions)
        return STEPS * games

    return Workload(run, prepare=lambda: table.restore(states, words))


def heuristic_games(games: int) -> Workload:
    """Whole games, the heuristic at all seats, one after the other in compiled code, as
    `batch.play_random` plays them; a unit is a game."""
    start = batch.new_games(Rules(PLAYERS), np.arange(games))
    scratch = tuned_parameters(), np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)

    def run() -> int:
        states, words = start[0].copy(), start[1].copy()
        _play_heuristic(states, words, *scratch)
        return games

    return Workload(run)


@njit
def _play_heuristic(
    states: batch.States,
    words: batch.Words,
    parameters: NDArray[np.float64],
    work: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    for game in range(len(states)):
        while states[game, PHASE] != OVER:
            action = choose(states[game], parameters, work, values)
            words[game] = step(states[game], action, words[game])


def heuristic_match(seeds: int) -> Workload:
    """Whole games, the heuristic at all seats, as `ra-env match heuristic heuristic` plays them:
    one decision in each after the other, checked, with points by category and all decisions kept;
    a unit is a game."""
    agents = [("challenger", Heuristic()), ("field", Heuristic())]
    seatings = [match_seating(PLAYERS)] * seeds

    def run() -> int:
        return sum(
            len(block.seats)
            for block in play_blocks(agents, Rules(PLAYERS), range(seeds), seatings)
        )

    return Workload(run)


def mcts(unit: str) -> Workload:
    """A search from the opening position whose playouts are random and go to the end of the game.

    A unit is a simulation, or with `unit="nodes"` a node of the tree that has grown.
    """
    agent = MCTS(sims=SIMULATIONS, rollout="random", epochs=TO_THE_END)
    state = Game(PLAYERS, seed=0).state

    def run() -> int:
        simulations = agent.search(state, np.uint64(1))
        return int(agent._tree.size[0]) if unit == "nodes" else simulations

    return Workload(run)


def random_actions(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each game."""
    chances = masks * rng.random(masks.shape, dtype=np.float32)
    return np.asarray(chances.argmax(axis=1), np.int64)


def workloads(quick: bool) -> dict[str, Workload]:
    """All of them, by name."""
    games = 64 if quick else 1024
    return {
        "self_play": self_play(games),
        "vector_env": vector_env(games),
        "heuristic_games": heuristic_games(games // 64),
        "heuristic_match": heuristic_match(games // 8),
        "mcts/simulations": mcts("simulations"),
        "mcts/nodes": mcts("nodes"),
    }
