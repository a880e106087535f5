"""Tree search: legal, fair, repeatable, and better than what it searches with."""

import numpy as np
import pytest

from agents.heuristic import Heuristic
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.mcts import MCTS
from agents.random import Random
from agents.rollouts import HEURISTIC, rollout
from ra_env import Game, Rules, batch
from ra_env.agent import Advisor, Agent, AgentError, make_agent
from ra_env.layout import EPOCH, OVER, PHASE, SEAT, TURN
from ra_env.legality import legal_actions
from ra_env.scoring import rank

pytestmark = pytest.mark.compiled

WORD = np.uint64(7)


def positions(players: int, seed: int = 0, rules: Rules | None = None) -> list[np.ndarray]:
    """Every position of a random game in which there is something to choose."""
    game = Game(seed=seed, rules=rules or Rules(players))
    rng = np.random.default_rng(seed)
    found = []
    while not game.is_over:
        if len(game.legal_actions()) > 1:
            found.append(game.state)
        game.play(int(rng.choice(game.legal_actions())))
    return found


def wins(agent: Agent, field: Agent, players: int, seeds: range) -> float:
    """The share of games that `agent` wins against a table of `field`, at every seat in turn."""
    won = []
    for seed in seeds:
        for seat in range(players):
            states, words = batch.new_games(Rules(players), [seed])
            rng = np.random.default_rng((seed, seat))
            while states[0, PHASE] != OVER:
                player = agent if states[0, SEAT] == seat else field
                action = player.act(states[0], rng.integers(2**64, dtype=np.uint64))
                batch.step(states, words, [action])
            won.append(rank(states[0], seat) == 0)
    return float(np.mean(won))


@pytest.mark.parametrize("rollout", ["random", "heuristic"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_plays_legal_actions_and_leaves_the_row_alone(players: int, rollout: str) -> None:
    agent = MCTS(sims=20, rollout=rollout)
    for state in positions(players)[::5]:
        before = state.copy()
        assert int(legal_actions(state)) >> agent.act(state, WORD) & 1
        assert (state == before).all()


def test_it_plays_variants() -> None:
    rules = Rules(3, epochs=1, ra_spaces=3, auction_spaces=2, bag={"ra": 3, "nile": 5, "god": 4})
    agent = MCTS(sims=50)
    for state in positions(3, rules=rules):
        assert int(legal_actions(state)) >> agent.act(state, WORD) & 1


def test_the_same_row_and_word_give_the_same_action_whatever_was_asked_before() -> None:
    rows = positions(4)[::9]
    agent = MCTS(sims=60)
    there = [agent.act(row, WORD) for row in rows]
    back = [agent.act(row, WORD) for row in reversed(rows)]
    assert there == back[::-1] == [MCTS(sims=60).act(row, WORD) for row in rows]


def test_every_simulation_is_counted_once() -> None:
    agent = MCTS(sims=300)
    for state in positions(3)[::20]:
        assert agent.search(state, WORD) == 300
        visits = agent.action_visits()
        # The first simulation judges the root itself.
        assert visits[visits >= 0].sum() == 299
        assert [a for a in range(54) if visits[a] >= 0] == [
            a for a in range(54) if int(legal_actions(state)) >> a & 1
        ]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_results_are_shared_out_between_the_seats(players: int) -> None:
    """They are chances to win: what one has more the others have less."""
    agent = MCTS(sims=200)
    agent.search(positions(players)[10], WORD)
    tree = agent._tree
    size = int(tree.size[0])
    seen = tree.visits[:size] > 0
    totals = tree.values[:size, :players].sum(axis=1)[seen]
    np.testing.assert_allclose(totals, tree.visits[:size][seen])


def test_a_playout_ends_with_the_epoch_or_the_game() -> None:
    for epochs, epoch, phase in ((0, 1, TURN), (1, 2, TURN), (2, 3, TURN), (3, 3, OVER)):
        state = Game(4, seed=3).state
        scratch = tuned_parameters(), np.zeros(WORK_SIZE), np.zeros(54)
        rollout(state, HEURISTIC, epochs, WORD, *scratch)
        assert (state[EPOCH], state[PHASE]) == (epoch, phase)


def test_a_draw_leads_to_the_tiles_of_the_bag_in_proportion() -> None:
    """The search draws with its own luck: tiles come as often as the bag says."""
    rules = Rules(2, epochs=1, ra_spaces=1, bag={"ra": 1, "nile": 6, "gold": 3})
    game = Game(rules=rules, seed=1)
    agent = MCTS(sims=4000, c=50.0, rollout="random", epochs=0)
    agent.search(game.state, WORD)
    tree = agent._tree
    chance = tree.children[0, 0]
    assert tree.is_chance[chance]
    drawn = {
        tile: int(tree.visits[child]) for tile, child in enumerate(tree.children[chance]) if child
    }
    total = sum(drawn.values())
    assert set(drawn) == {0, 3, 5}
    for tile, share in ((0, 0.1), (3, 0.6), (5, 0.3)):
        assert abs(drawn[tile] / total - share) < 4 * (share * (1 - share) / total) ** 0.5


def test_a_budget_of_milliseconds_is_kept_to_at_least_one_round() -> None:
    agent = MCTS(ms=1e-6)
    assert agent.search(positions(2)[0], WORD) == 32


def test_a_full_tree_is_searched_on_without_growing() -> None:
    agent = MCTS(sims=500, nodes=10)
    for state in positions(4)[::15]:
        agent.search(state, WORD)
        assert agent._tree.size[0] <= 10
        assert agent.action_visits().max() > 0


def test_a_kept_tree_goes_on_from_the_position_it_knows() -> None:
    game = Game(4, seed=3)
    agent = MCTS(sims=400, reuse=True)
    agent.search(game.state, WORD)
    tree = agent._tree
    child = int(tree.children[0, 1])
    visits, values = int(tree.visits[child]), tree.values[child].copy()
    row = tree.rows[child].copy()
    agent._go_on_from(row)
    assert (agent._tree.rows[0] == row).all()
    assert agent._tree.visits[0] == visits
    np.testing.assert_array_equal(agent._tree.values[0], values)
    agent.search(row, WORD)
    assert agent._tree.visits[0] == visits + 400


def test_preferences_are_shares_of_the_simulations() -> None:
    agent = MCTS(sims=100)
    assert isinstance(agent, Advisor)
    state = positions(4)[5]
    liked = agent.preferences(state)
    legal = np.array([int(legal_actions(state)) >> a & 1 for a in range(54)], bool)
    assert (np.isneginf(liked) == ~legal).all()
    assert liked[legal].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "name",
    [
        *("sims=0", "ms=-1", "ms=inf", "c=-1", "c=nan", "epochs=-1", "softness=0", "softness=inf"),
        *("lead=0", "lead=nan", "nodes=1", "rollout=best"),
    ],
)
def test_impossible_parameters_are_refused(name: str) -> None:
    with pytest.raises(AgentError, match=name.split("=")[0]):
        make_agent(f"mcts:{name}")


def test_random_playouts_beat_random_play() -> None:
    """40 games; chance alone would win 30 of them with a probability below 0.002."""
    assert wins(MCTS(sims=50, rollout="random", epochs=3), Random(), 2, range(20)) > 0.75


def test_the_search_beats_the_heuristic_that_guides_it() -> None:
    """40 games at two players; chance alone would win 26 of them with a probability of 0.04."""
    assert wins(MCTS(sims=200), Heuristic(), 2, range(20)) >= 0.65
