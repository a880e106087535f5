"""Tree search with a policy: legal, repeatable, and right where the answer is known."""

from pathlib import Path

import numpy as np
import pytest

from agents.policy import PolicyError, save_policy
from agents.ppo_mcts import MAX_GAMES, PPOMCTS
from ra_env import NUM_ACTIONS, Game, Rules, batch
from ra_env.actions import DRAW
from ra_env.agent import Advisor, AgentError, BatchAgent, make_agent
from ra_env.layout import NUM_PLAYERS, OVER, PHASE
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE
from ra_env.scoring import rank

pytestmark = pytest.mark.compiled

WORD = np.uint64(7)
TINY = Rules(
    2,
    epochs=1,
    ra_spaces=1,
    auction_spaces=3,
    bag={"ra": 2, "pharaoh": 2, "gold": 1, "art": 1},
    suns=[[3], [2]],
)
"""Small enough to be solved exactly."""


def write_network(file: Path, scale: float, reward: str = "placement") -> str:
    """A network of random weights; with scale 0 it knows nothing and likes everything alike."""
    rng = np.random.default_rng(1)
    sizes = {"trunk.0": (16, OBSERVATION_SIZE), "policy": (NUM_ACTIONS, 16), "value": (1, 16)}
    tensors = {}
    for name, shape in sizes.items():
        tensors[f"{name}.weight"] = (scale * rng.normal(size=shape)).astype(np.float32)
        tensors[f"{name}.bias"] = (scale * rng.normal(size=shape[0])).astype(np.float32)
    save_policy(file, tensors, {"view": "memory", "settings": {"reward": reward}})
    return str(file)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A network with opinions on everything."""
    return write_network(tmp_path / "policy.safetensors", 0.3)


@pytest.fixture
def blank(tmp_path: Path) -> str:
    """A network that knows nothing."""
    return write_network(tmp_path / "blank.safetensors", 0.0)


def positions(players: int, rules: Rules | None = None) -> list[np.ndarray]:
    """Every position of a random game in which there is something to choose."""
    game = Game(seed=3, rules=rules or Rules(players))
    rng = np.random.default_rng(0)
    found = []
    while not game.is_over:
        if len(game.legal_actions()) > 1:
            found.append(game.state)
        game.play(int(rng.choice(game.legal_actions())))
    return found


def worth(game: Game, known: dict[bytes, float]) -> float:
    """What seat 0 can expect (won 1, lost 0) if both seats play as well as possible."""
    key = game.state.tobytes()
    if key not in known:
        if game.is_over:
            known[key] = float(game.ranking()[0] == 0)
        else:
            best = max if game.current_seat == 0 else min
            known[key] = best(worth_after(game, a, known) for a in game.legal_actions())
    return known[key]


def worth_after(game: Game, action: int, known: dict[bytes, float]) -> float:
    """The same after an action; for a draw the mean over all tiles."""
    outcomes = game.bag if action == DRAW else {None: 1}
    total = 0.0
    for tile, count in outcomes.items():
        if count:
            game.play(action, tile=tile)
            total += count * worth(game, known)
            game.undo()
    return total / sum(outcomes.values())


def mistakes(agent: PPOMCTS) -> tuple[float, int]:
    """What the agent's actions lose in all positions of the tiny game, and in how many it matters.

    Positions are met by playing all actions and all tiles.
    """
    lost, choices = 0.0, 0
    known: dict[bytes, float] = {}
    seen = set()
    waiting = [Game(rules=TINY, suns=deal) for deal in ([[3], [2]], [[2], [3]])]
    while waiting:
        game = waiting.pop()
        if game.is_over or game.state.tobytes() in seen:
            continue
        seen.add(game.state.tobytes())
        worths = {a: worth_after(game, a, known) for a in game.legal_actions()}
        best = max if game.current_seat == 0 else min
        if max(worths.values()) - min(worths.values()) > 0.2:
            choices += 1
            lost += abs(best(worths.values()) - worths[agent.act(game.state, WORD)])
        for action in worths:
            tiles = [t for t, count in game.bag.items() if count] if action == DRAW else [None]
            for tile in tiles:
                after = game.copy()
                after.play(action, tile=tile)
                waiting.append(after)
    return lost, choices


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_are_played_with_legal_actions(path: str, players: int) -> None:
    agent = PPOMCTS(path, sims=6)
    assert isinstance(agent, BatchAgent)
    states, words = batch.new_games(Rules(players), range(10))
    actions = np.zeros(10, np.int64)
    while (states[:, PHASE] != OVER).any():
        before = states.copy()
        agent.act_batch(states, words, actions)
        assert (states == before).all()
        batch.step(states, words, actions)


def test_variants_are_played(path: str) -> None:
    rules = Rules(3, epochs=1, ra_spaces=3, auction_spaces=2, bag={"ra": 3, "nile": 5, "god": 4})
    agent = PPOMCTS(path, sims=50)
    for state in positions(3, rules):
        assert int(legal_actions(state)) >> agent.act(state, WORD) & 1


def test_the_same_row_and_word_give_the_same_visits_whatever_was_asked_before(path: str) -> None:
    rows = positions(4)[::9]
    agent, words = PPOMCTS(path, sims=40), np.array([WORD])
    there = [agent.action_visits(row[None], words)[0].tolist() for row in rows]
    back = [agent.action_visits(row[None], words)[0].tolist() for row in reversed(rows)]
    assert there == back[::-1]
    other = np.array([WORD + np.uint64(1)])
    assert there != [agent.action_visits(row[None], other)[0].tolist() for row in rows]


def test_one_decision_is_the_same_alone_and_among_many(path: str) -> None:
    """With tables of all sizes in one batch, and more games than are searched side by side."""
    rows = np.array([row for players in (2, 3, 4, 5) for row in positions(players)[::8]])
    rows = np.concatenate([rows, rows[::-1]])
    assert len(rows) > MAX_GAMES
    words = np.arange(len(rows), dtype=np.uint64)
    agent, together = PPOMCTS(path, sims=20), np.zeros(len(rows), np.int64)
    agent.act_batch(rows, words, together)
    alone = [PPOMCTS(path, sims=20).act(row, word) for row, word in zip(rows, words, strict=True)]
    assert alone == together.tolist()


@pytest.mark.parametrize("leaves", [1, 4, 7])
def test_every_simulation_is_counted_once(path: str, leaves: int) -> None:
    agent = PPOMCTS(path, sims=50, leaves=leaves)
    rows = np.array(positions(3)[::20])
    visits = agent.action_visits(rows, np.zeros(len(rows), np.uint64))
    assert (visits.clip(0).sum(axis=1) == 50).all()
    for row, counts in zip(rows, visits, strict=True):
        assert [a for a in range(54) if counts[a] >= 0] == [
            a for a in range(54) if int(legal_actions(row)) >> a & 1
        ]


def test_results_add_up_and_the_end_of_the_game_pays_the_places(path: str) -> None:
    """A half for each seat and visit: what one has more, others have less."""
    bag = {"ra": 2, "gold": 2, "nile": 1}
    rules = Rules(3, epochs=1, ra_spaces=2, bag=bag, suns=[[4], [3], [2]])
    agent = PPOMCTS(path, sims=600, c=2.0)
    agent.act(Game(rules=rules, seed=1).state, WORD)
    tree = agent._tree
    size = int(tree.size[0])
    ends = [node for node in range(size) if tree.rows[node, PHASE] == OVER]
    assert len(ends) > 10
    for node in ends:
        places = [1 - rank(tree.rows[node], seat) / 2 for seat in range(3)]
        np.testing.assert_allclose(tree.values[node, :3], tree.visits[node] * np.array(places))
    # Estimates beyond the best and the worst place are cut off, which these weights seldom reach.
    judged = np.abs(tree.judgements[:size, :3] - 0.5).max(axis=1) < 0.5
    judged &= tree.is_judged[:size] & (tree.judgements[:size].sum(axis=1) > 0)
    assert judged.sum() > 10
    np.testing.assert_allclose(tree.judgements[:size, :3][judged].sum(axis=1), 1.5, atol=1e-5)
    assert tree.rows[0, NUM_PLAYERS] == 3


def test_more_simulations_find_the_best_moves_of_a_solved_game(blank: str) -> None:
    """The network knows nothing, so all that is known comes from the ends of the game."""
    few, choices = mistakes(PPOMCTS(blank, sims=2))
    many, _ = mistakes(PPOMCTS(blank, sims=1000, c=0.5))
    assert choices > 20
    assert few > 0.1 * choices
    assert many < 0.02 * choices


def test_preferences_are_shares_of_the_simulations(path: str) -> None:
    agent = PPOMCTS(path, sims=30)
    assert isinstance(agent, Advisor)
    state = positions(4)[5]
    liked = agent.preferences(state)
    legal = np.array([int(legal_actions(state)) >> a & 1 for a in range(54)], bool)
    assert (np.isneginf(liked) == ~legal).all()
    assert liked[legal].sum() == pytest.approx(1)


@pytest.mark.parametrize("wrong", ["sims=0", "c=-1", "c=nan", "leaves=0"])
def test_impossible_parameters_are_refused(path: str, wrong: str) -> None:
    with pytest.raises(AgentError, match=wrong.split("=")[0]):
        make_agent(f"ppo-mcts:path={path},{wrong}")


def test_a_missing_policy_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="there is no policy file"):
        make_agent(f"ppo-mcts:path={tmp_path / 'other.safetensors'}")


def test_a_policy_that_expects_something_else_is_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "points.safetensors", 0.3, reward="margin")
    with pytest.raises(AgentError, match="needs a policy that expects placements"):
        make_agent(f"ppo-mcts:path={path}")


def test_the_bundled_policy_is_the_default() -> None:
    agent = make_agent("ppo-mcts:sims=8")
    assert isinstance(agent, PPOMCTS)
    assert agent.policy.metadata["decisions"] > 0
