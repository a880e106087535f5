"""Tree search that asks a trained policy: where to look, and who stands how.

Each seat maximises its own result (max^n). The policy's probabilities say which actions are tried
first (PUCT); a new position is judged by the value that the network gives each seat, so nothing is
played out. A draw leads to a chance node with a child for every tile that has come up. The search
sees a row and a random word of its own, nothing else, so it cannot know what the bag will bring.

Many games are searched side by side: each round takes a few new positions from every tree, and one
pass through the network judges all of them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.ppo import BUNDLED, PPO
from agents.tree import (
    NONE,
    advance,
    begin_node,
    choose,
    read_visits,
    visit_shares,
    write_priors,
)
from ra_env._jit import njit, njit_apart
from ra_env.actions import DRAW, NUM_ACTIONS
from ra_env.agent import AgentError
from ra_env.layout import NUM_PLAYERS, SEAT, STATE_SIZE, State, copy_row, count_bits
from ra_env.observation import OBSERVATION_SIZE, observe, view_id
from ra_env.rewards import PLACEMENT, reward
from ra_env.rng import next_word
from ra_env.rules import MAX_PLAYERS, RA
from ra_env.transitions import draw_tile

MAX_GAMES: Final = 64
"""Games that are searched side by side; more would only take more memory."""
BLOCK: Final = 32
"""The network is asked about a multiple of so many views. With fewer, matrices are multiplied in
another order, and the last bits of an answer would depend on what else was asked."""
NO_PARENT: Final = -1
NOT_ASKED: Final = -1


class Tree(NamedTuple):
    """The nodes of several searches, each with a stretch of its own, and scratch."""

    size: NDArray[np.int64]
    """`(G,)` number of nodes of each game; those of game g begin at `g * capacity`."""
    rows: NDArray[np.int16]
    """`(N, STATE_SIZE)` the position; at a chance node still without the tile."""
    parents: NDArray[np.int32]
    is_judged: NDArray[np.bool_]
    """Whether `judgements` and `priors` are known; always at the end of the game."""
    legal: NDArray[np.int64]
    """`(N,)` legal actions of a decision node; 0 at the end of the game."""
    priors: NDArray[np.float32]
    """`(N, 54)` the policy's probabilities."""
    judgements: NDArray[np.float64]
    """`(N, 5)` the result that each seat expects, from 0 (last) to 1 (first)."""
    children: NDArray[np.int32]
    """`(N, 54)` by action, or by tile below a chance node."""
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    """`(N, 5)` sum of the results of each seat."""
    leaves: NDArray[np.int64]
    """`(G, leaves)` where the simulations of a round have ended."""
    asked: NDArray[np.int64]
    """`(G, leaves)` the first view of a leaf that the network is asked about, or `NOT_ASKED`."""
    state: State
    before: NDArray[np.int16]
    """Scores ahead of the last step, which placements do not depend on."""


def new_tree(games: int, capacity: int, leaves: int) -> Tree:
    """Empty trees with room for `capacity` nodes each."""
    nodes = games * capacity
    return Tree(
        size=np.zeros(games, np.int64),
        rows=np.zeros((nodes, STATE_SIZE), np.int16),
        parents=np.zeros(nodes, np.int32),
        is_judged=np.zeros(nodes, np.bool_),
        legal=np.zeros(nodes, np.int64),
        priors=np.zeros((nodes, NUM_ACTIONS), np.float32),
        judgements=np.zeros((nodes, MAX_PLAYERS), np.float64),
        children=np.zeros((nodes, NUM_ACTIONS), np.int32),
        visits=np.zeros(nodes, np.int64),
        values=np.zeros((nodes, MAX_PLAYERS), np.float64),
        leaves=np.zeros((games, leaves), np.int64),
        asked=np.zeros((games, leaves), np.int64),
        state=np.zeros(STATE_SIZE, np.int16),
        before=np.zeros(MAX_PLAYERS, np.int16),
    )


class PPOMCTS:
    """Tree search guided by a trained policy: the bundled one, or a file."""

    def __init__(
        self,
        path: str = BUNDLED,
        sims: int = 100,
        c: float = 0.15,
        leaves: int = 4,
    ) -> None:
        if sims < 1 or not 0 <= c < np.inf or leaves < 1:
            raise AgentError("ppo-mcts needs sims >= 1, c >= 0 and leaves >= 1")
        self.policy = PPO(path).policy
        reward = self.policy.metadata.get("settings", {}).get("reward", "placement")
        if reward != "placement":
            raise AgentError(
                f"ppo-mcts needs a policy that expects placements, not one of {reward!r}: {path}"
            )
        self.sims, self.c, self.leaves = sims, c, min(leaves, sims)
        self._view = view_id(self.policy.view)
        self._tree = new_tree(1, self._capacity, self.leaves)

    @property
    def _capacity(self) -> int:
        """The root, and for each simulation a node, perhaps below a new chance node."""
        return 1 + 2 * self.sims

    def act(self, state: State, word: np.uint64) -> int:
        """The action that was simulated most often."""
        out = np.empty(1, np.int64)
        self.act_batch(state[None], np.array([word], np.uint64), out)
        return int(out[0])

    def act_batch(
        self, states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
    ) -> None:
        """Write an action for each row into `out`."""
        for start in range(0, len(states), MAX_GAMES):
            part = slice(start, start + MAX_GAMES)
            out[part] = self.action_visits(states[part], words[part]).argmax(axis=1)

    def preferences(self, state: State) -> NDArray[np.float64]:
        """The share of the simulations that went to each action; -inf where it is not legal."""
        visits = self.action_visits(state[None], np.zeros(1, np.uint64))[0]
        return visit_shares(visits)

    def action_visits(
        self, states: NDArray[np.int16], words: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """How often each action was simulated from each row; -1 where it is not legal.

        Where there is no choice, nothing is simulated.
        """
        if len(states) > len(self._tree.size):
            self._tree = new_tree(len(states), self._capacity, self.leaves)
        tree = self._tree
        games = np.empty(len(states), np.int64)
        games = games[: _plant(tree, np.ascontiguousarray(states, np.int16), games)]
        words = np.array(words, np.uint64)
        self._judge(games, 1)
        for done in range(0, self.sims, self.leaves):
            count = min(self.leaves, self.sims - done)
            _descend(tree, games, count, self.c, words)
            self._judge(games, count)
        visits = np.empty((len(states), NUM_ACTIONS), np.int64)
        _read_visits(tree, visits)
        return visits

    def _judge(self, games: NDArray[np.int64], count: int) -> None:
        """Ask the network about the positions in which the simulations of a round have ended."""
        room = _whole_blocks(len(games) * count * MAX_PLAYERS)
        observations = np.zeros((room, OBSERVATION_SIZE), np.float32)
        asked = _look(self._tree, games, count, self._view, observations)
        logits, values = self.policy.evaluate(observations[: _whole_blocks(asked)])
        _learn(self._tree, games, count, logits, values)


def _whole_blocks(views: int) -> int:
    return -(-views // BLOCK) * BLOCK


@njit
def _plant(tree: Tree, states: NDArray[np.int16], games: NDArray[np.int64]) -> int:
    """Make each row the only node of its tree; `games` are those with a choice, returns how many.

    The roots are the leaves of the first round.
    """
    capacity = len(tree.legal) // len(tree.size)
    count = 0
    for game in range(len(states)):
        tree.size[game] = 0
        copy_row(states[game], tree.state)
        root = _add_node(tree, game, capacity, NO_PARENT, False)
        tree.leaves[game, 0] = root
        if count_bits(tree.legal[root]) > 1:
            tree.visits[root] = 1
            games[count] = game
            count += 1
    return count


@njit_apart
def _add_node(tree: Tree, game: int, capacity: int, parent: int, is_chance: bool) -> int:
    """A node for the position in `tree.state`."""
    state = tree.state
    node = game * capacity + tree.size[game]
    tree.size[game] += 1
    begin_node(tree, node, state)
    tree.parents[node] = parent
    tree.is_judged[node] = is_chance or tree.legal[node] == 0
    if tree.legal[node] == 0:
        for seat in range(state[NUM_PLAYERS]):
            tree.judgements[node, seat] = 0.5 + 0.5 * reward(state, tree.before, seat, PLACEMENT)
    return node


@njit
def _descend(
    tree: Tree, games: NDArray[np.int64], count: int, c: float, words: NDArray[np.uint64]
) -> None:
    """Go down `count` times in each game, to a node that is not judged yet or ends the game.

    Visits are counted on the way down: until the results are known, they stand for last places,
    which sends the simulations of a round different ways.
    """
    capacity = len(tree.legal) // len(tree.size)
    state = tree.state
    for i in range(len(games)):
        game = games[i]
        for leaf in range(count):
            node = game * capacity
            copy_row(tree.rows[node], state)
            while tree.is_judged[node] and tree.legal[node] != 0:
                branch = choose(tree, node, c)
                tree.visits[node] += 1
                if branch == DRAW:
                    chance = tree.children[node, DRAW]
                    if chance == NONE:
                        chance = _add_node(tree, game, capacity, node, True)
                        tree.children[node, DRAW] = chance
                    node = chance
                    tree.visits[node] += 1
                    words[game] = next_word(words[game])
                    branch = draw_tile(state, words[game])
                    advance(state, DRAW, branch)
                else:
                    advance(state, branch, RA)
                child = tree.children[node, branch]
                if child == NONE:
                    child = _add_node(tree, game, capacity, node, False)
                    tree.children[node, branch] = child
                node = child
            tree.visits[node] += 1
            tree.leaves[game, leaf] = node


@njit
def _look(
    tree: Tree,
    games: NDArray[np.int64],
    count: int,
    view: int,
    out: NDArray[np.float32],
) -> int:
    """Write what is seen at the leaves that are not judged yet; returns how many views.

    The seat on turn comes first, the others follow clockwise.
    """
    asked = 0
    for i in range(len(games)):
        game = games[i]
        for leaf in range(count):
            node = tree.leaves[game, leaf]
            tree.asked[game, leaf] = NOT_ASKED
            if tree.is_judged[node]:
                continue
            tree.is_judged[node] = True
            tree.asked[game, leaf] = asked
            state = tree.rows[node]
            num_players = int(state[NUM_PLAYERS])
            for place in range(_count_views(num_players)):
                observe(state, (int(state[SEAT]) + place) % num_players, view, out[asked])
                asked += 1
    return asked


@njit
def _count_views(num_players: int) -> int:
    """Of two seats one is enough: what it wins, the other loses."""
    return num_players if num_players > 2 else 1


@njit
def _learn(
    tree: Tree,
    games: NDArray[np.int64],
    count: int,
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Keep what the network says of the leaves, and add the results on the way up."""
    for i in range(len(games)):
        game = games[i]
        for leaf in range(count):
            node = tree.leaves[game, leaf]
            first = tree.asked[game, leaf]
            if first != NOT_ASKED:
                write_priors(tree, node, logits[first], 1.0)
                _write_judgement(tree, node, values[first:])
            up = node
            while up != NO_PARENT:
                for seat in range(MAX_PLAYERS):
                    tree.values[up, seat] += tree.judgements[node, seat]
                up = tree.parents[up]


@njit
def _write_judgement(tree: Tree, node: int, values: NDArray[np.float32]) -> None:
    """What each seat expects, from the values of its views; all of it adds up to nothing.

    The network has learnt from the views of seats on turn. So their value is taken as it is, and
    what the sum is too large or too small by is shared by the others.
    """
    state = tree.rows[node]
    num_players = int(state[NUM_PLAYERS])
    views = _count_views(num_players)
    total = 0.0
    for place in range(views):
        total += values[place]
    for place in range(num_players):
        seat = (int(state[SEAT]) + place) % num_players
        expected = values[place] if place < views else 0.0
        if place > 0:
            expected -= total / (num_players - 1)
        tree.judgements[node, seat] = 0.5 + 0.5 * min(max(expected, -1.0), 1.0)


@njit
def _read_visits(tree: Tree, out: NDArray[np.int64]) -> None:
    capacity = len(tree.legal) // len(tree.size)
    for game in range(len(out)):
        read_visits(tree, game * capacity, out[game])
