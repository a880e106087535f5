"""Monte Carlo tree search for any number of players.

Each seat maximises its own result (max^n). A draw leads to a chance node with a child for every
tile that has come up. The search sees a row and a random word of its own, nothing else, so it
cannot know what the bag will bring. Forced moves are played inside a node.

Actions are tried in proportion to how promising they look (PUCT): to the heuristic, or, with random
playouts, all alike. A result is about a seat's chance to win, from what all seats have where a
playout ends: it says more than a bare win or loss, so fewer simulations are needed.
"""

import time
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import value_actions
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import judge
from agents.rollouts import HEURISTIC, ROLLOUTS, rollout
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
from ra_env.layout import NUM_PLAYERS, SEAT, STATE_SIZE, State, copy_row
from ra_env.rng import next_word
from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS, RA
from ra_env.transitions import draw_tile

MAX_DEPTH: Final = 1024
FEW: Final = 8
"""A mean of fewer results than this says nothing."""
UNTRIED: Final = 0.05
"""What is taken to be at stake where no other action seemed worth trying."""
CHUNK: Final = 32
"""Simulations between two looks at the clock."""


class Tree(NamedTuple):
    """The nodes of a search, and its scratch: arrays that are used again for every search."""

    size: NDArray[np.int64]
    """`(1,)` number of nodes."""
    rows: NDArray[np.int16]
    """`(N, STATE_SIZE)` the position; below a chance node still without the tile."""
    is_chance: NDArray[np.bool_]
    legal: NDArray[np.int64]
    """`(N,)` legal actions of a decision node; 0 at the end of the game."""
    priors: NDArray[np.float32]
    """`(N, 54)` how promising each action looks before any simulation; they add up to 1."""
    children: NDArray[np.int32]
    """`(N, 54)` by action, or by tile below a chance node."""
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    """`(N, 5)` sum of the results of each seat."""
    path: NDArray[np.int64]
    state: State
    results: NDArray[np.float64]
    parameters: NDArray[np.float64]
    """The heuristic's numbers."""
    work: NDArray[np.float64]
    worths: NDArray[np.float64]


def new_tree(capacity: int) -> Tree:
    """An empty tree with room for `capacity` nodes."""
    return Tree(
        size=np.zeros(1, np.int64),
        rows=np.zeros((capacity, STATE_SIZE), np.int16),
        is_chance=np.zeros(capacity, np.bool_),
        legal=np.zeros(capacity, np.int64),
        priors=np.zeros((capacity, NUM_ACTIONS), np.float32),
        children=np.zeros((capacity, NUM_ACTIONS), np.int32),
        visits=np.zeros(capacity, np.int64),
        values=np.zeros((capacity, MAX_PLAYERS), np.float64),
        path=np.zeros(MAX_DEPTH, np.int64),
        state=np.zeros(STATE_SIZE, np.int16),
        results=np.zeros(MAX_PLAYERS, np.float64),
        parameters=tuned_parameters(),
        work=np.zeros(WORK_SIZE, np.float64),
        worths=np.zeros(NUM_ACTIONS, np.float64),
    )


class Settings(NamedTuple):
    """How a search goes, as compiled code takes it."""

    rollout: int
    epochs: int
    """Ends of epochs that a playout sees before it is judged."""
    c: float
    """How much untried actions are worth trying."""
    softness: float
    """Difference of worth, in points, that makes an action e times as promising."""
    lead: float
    """Lead in points at the end of the game that counts as seven to one."""


class MCTS:
    """Tree search: heuristic or random playouts, a budget of simulations or milliseconds."""

    def __init__(
        self,
        sims: int = 1000,
        ms: float = 0.0,
        c: float = 0.5,
        rollout: str = "heuristic",
        epochs: int = 1,
        softness: float = 1.0,
        lead: float = 10.0,
        reuse: bool = False,
        nodes: int = 50_000,
    ) -> None:
        is_right = sims >= 1 and ms >= 0 and c >= 0 and epochs >= 0 and nodes >= 2
        is_right &= softness > 0 and lead > 0
        if not (is_right and np.isfinite([ms, c, softness, lead]).all()):
            raise AgentError(
                "mcts needs sims >= 1, ms >= 0, c >= 0, epochs >= 0, softness > 0, lead > 0 "
                "and nodes >= 2"
            )
        if rollout not in ROLLOUTS:
            raise AgentError(f"unknown rollout {rollout!r}; rollouts: {', '.join(ROLLOUTS)}")
        self.sims, self.ms = sims, ms
        self._settings = Settings(ROLLOUTS.index(rollout), epochs, c, softness, lead)
        room = nodes if ms or reuse else min(nodes, 2 * sims + 2)
        self._tree = new_tree(room)
        self._spare = new_tree(room) if reuse else None

    def act(self, state: State, word: np.uint64) -> int:
        """The action that was simulated most often."""
        self.search(state, word)
        return int(self.action_visits().argmax())

    def preferences(self, state: State) -> NDArray[np.float64]:
        """The share of the simulations that went to each action; -inf where it is not legal."""
        self.search(state, np.uint64(0))
        return visit_shares(self.action_visits())

    def search(self, state: State, word: np.uint64) -> int:
        """Grow the tree from `state`; returns the number of simulations."""
        state = np.ascontiguousarray(state, np.int16)
        if not self._go_on_from(state):
            _plant(self._tree, state, self._settings)
        self._guide(self._tree.priors[0], state)
        if not self.ms:
            _simulate(self._tree, self._settings, self.sims, np.uint64(word))
            return self.sims
        end = time.perf_counter() + self.ms / 1000
        done = 0
        while done == 0 or time.perf_counter() < end:
            word = np.uint64(_simulate(self._tree, self._settings, CHUNK, np.uint64(word)))
            done += CHUNK
        return done

    def action_visits(self) -> NDArray[np.int64]:
        """How often each action was simulated from the root; -1 where it is not legal."""
        visits = np.empty(NUM_ACTIONS, np.int64)
        read_visits(self._tree, 0, visits)
        return visits

    def answers(
        self, least: int
    ) -> tuple[NDArray[np.int16], NDArray[np.int64], NDArray[np.float32]]:
        """Positions of the tree that leave a choice and had at least so many simulations, the root
        first; in each the action that was simulated most often, and what is at stake: how much
        better its mean result was than that of the next best action that was tried at all."""
        tree, size = self._tree, int(self._tree.size[0])
        legal = tree.legal[:size]
        is_choice = ~tree.is_chance[:size] & (legal & (legal - 1) != 0)
        nodes = np.flatnonzero(is_choice & (tree.visits[:size] >= least))
        visits = np.empty((len(nodes), NUM_ACTIONS), np.int64)
        for node, out in zip(nodes, visits, strict=True):
            read_visits(tree, int(node), out)
        sums = tree.values[tree.children[nodes], tree.rows[nodes, SEAT, np.newaxis]]
        means = sums / np.maximum(visits, 1)
        actions = visits.argmax(axis=1)
        is_other = visits >= FEW
        is_other[np.arange(len(nodes)), actions] = False
        next_best = np.where(is_other, means, -np.inf).max(axis=1)
        leads = means[np.arange(len(nodes)), actions] - next_best
        stakes = np.where(is_other.any(axis=1), leads, UNTRIED)
        return tree.rows[nodes], actions, stakes.astype(np.float32)

    def _guide(self, priors: NDArray[np.float32], state: State) -> None:
        """A last word on how promising the actions of the root are: here the heuristic's stands."""

    def _go_on_from(self, state: State) -> bool:
        """Make the node with this row the root, if trees are kept and there is one."""
        if self._spare is None:
            return False
        tree, size = self._tree, int(self._tree.size[0])
        found = np.flatnonzero((tree.rows[:size] == state).all(axis=1) & ~tree.is_chance[:size])
        if not len(found):
            return False
        _transplant(tree, int(found[0]), self._spare)
        self._tree, self._spare = self._spare, tree
        return True


@njit
def _plant(tree: Tree, state: State, settings: Settings) -> None:
    """Make `state` the only node."""
    tree.size[0] = 0
    _add_node(tree, state, False, settings)


@njit_apart
def _add_node(tree: Tree, state: State, is_chance: bool, settings: Settings) -> int:
    node = tree.size[0]
    tree.size[0] += 1
    begin_node(tree, node, state)
    tree.is_chance[node] = is_chance
    if not is_chance and tree.legal[node] != 0:
        if settings.rollout == HEURISTIC:
            numbers = tree.parameters[state[NUM_PLAYERS] - MIN_PLAYERS]
            value_actions(state, numbers, tree.work, tree.worths)
        else:
            tree.worths[:] = 0.0
        write_priors(tree, node, tree.worths, settings.softness)
    return int(node)


@njit
def _simulate(tree: Tree, settings: Settings, sims: int, word: np.uint64) -> np.uint64:
    """Run simulations from node 0; returns the random word after them."""
    for _ in range(sims):
        depth, word = _descend(tree, settings, word)
        word = rollout(
            tree.state,
            settings.rollout,
            settings.epochs,
            word,
            tree.parameters,
            tree.work,
            tree.worths,
        )
        judge(tree.state, settings.lead, tree.parameters, tree.work, tree.worths, tree.results)
        for step in range(depth + 1):
            node = tree.path[step]
            tree.visits[node] += 1
            for seat in range(MAX_PLAYERS):
                tree.values[node, seat] += tree.results[seat]
    return word


@njit
def _descend(tree: Tree, settings: Settings, word: np.uint64) -> tuple[int, np.uint64]:
    """Go down to a node that is new, or to the end of the game, or as far as there is room.

    `tree.state` is the position there, `tree.path` the way; returns its depth and the random word.
    """
    state = tree.state
    node = 0
    depth = 0
    tree.path[0] = 0
    copy_row(tree.rows[0], state)
    while tree.visits[node] > 0 and (tree.is_chance[node] or tree.legal[node] != 0):
        to_chance = False
        if tree.is_chance[node]:
            word = next_word(word)
            branch = draw_tile(state, word)
            advance(state, DRAW, branch)
        else:
            branch = choose(tree, node, settings.c)
            to_chance = branch == DRAW
            if not to_chance:
                advance(state, branch, RA)
        child = tree.children[node, branch]
        has_room = tree.size[0] < len(tree.legal) and depth + 2 < MAX_DEPTH
        if child == NONE and has_room:
            child = _add_node(tree, state, to_chance, settings)
            tree.children[node, branch] = child
        if child != NONE:
            node = child
            depth += 1
            tree.path[depth] = node
        if to_chance and (child == NONE or tree.visits[node] == 0):
            # Nothing can be said of a draw before its tile: pass through a new chance node.
            word = next_word(word)
            branch = draw_tile(state, word)
            advance(state, DRAW, branch)
            if child != NONE and has_room and tree.size[0] < len(tree.legal):
                tree.children[node, branch] = _add_node(tree, state, False, settings)
                node = tree.children[node, branch]
                depth += 1
                tree.path[depth] = node
            break
        if child == NONE:
            break
    return depth, word


@njit
def _transplant(tree: Tree, root: int, out: Tree) -> None:
    """Copy the subtree below `root` into `out`, where it becomes node 0.

    `out` is its own queue: a node that still has to be copied holds the number of its original in
    `visits`.
    """
    out.visits[0] = root
    out.size[0] = 1
    done = 0
    while done < out.size[0]:
        old = out.visits[done]
        copy_row(tree.rows[old], out.rows[done])
        out.is_chance[done] = tree.is_chance[old]
        out.legal[done] = tree.legal[old]
        out.visits[done] = tree.visits[old]
        for seat in range(MAX_PLAYERS):
            out.values[done, seat] = tree.values[old, seat]
        for branch in range(NUM_ACTIONS):
            out.priors[done, branch] = tree.priors[old, branch]
            child = tree.children[old, branch]
            out.children[done, branch] = NONE
            if child != NONE:
                out.children[done, branch] = out.size[0]
                out.visits[out.size[0]] = child
                out.size[0] += 1
        done += 1
