"""The trained agent: plays a policy file.

A policy that has a network for it also looks one move ahead: to an action which leaves a greater
chance to win it gives greater odds. With `ahead=false` it does without.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.advice import advise, input_size
from agents.lookahead import Lookahead
from agents.policy import BUNDLED_FILE, Policy, load_policy
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.agent import AgentError
from ra_env.layout import SEAT, State
from ra_env.legality import legal_actions
from ra_env.observation import observe, view_id
from ra_env.rng import mix, next_word

MODES = ("greedy", "sample")
BUNDLED = "bundled"
"""The name of the policy that comes with the package."""

TRUST: Final = 80.0
"""An action that leaves a chance to win which is greater by 1 / TRUST gains e times the odds."""


class PPO:
    """A trained policy: the bundled one, or a file; greedy, or by its probabilities (sample)."""

    def __init__(self, path: str = BUNDLED, mode: str = "greedy", ahead: bool = True) -> None:
        policy = load_policy(BUNDLED_FILE if path == BUNDLED else path)
        self._play(policy if ahead else replace(policy, worth=[]), mode)

    @classmethod
    def of(cls, policy: Policy, mode: str = "greedy") -> "PPO":
        """An agent that plays a policy which is in no file."""
        agent = cls.__new__(cls)
        agent._play(policy, mode)
        return agent

    def _play(self, policy: Policy, mode: str) -> None:
        if mode not in MODES:
            raise AgentError(f"unknown mode {mode!r}; modes: {', '.join(MODES)}")
        self.policy = policy
        self.mode = mode
        self._view = view_id(policy.view)
        self._lookahead = Lookahead(policy.worth) if policy.worth else None

    def act(self, state: State, word: np.uint64) -> int:
        """The action that the policy prefers, or one drawn by its probabilities."""
        out = np.empty(1, np.int64)
        self.act_batch(state[None], np.array([word], np.uint64), out)
        return int(out[0])

    def act_batch(
        self, states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
    ) -> None:
        """Write an action for each row into `out`."""
        states = np.ascontiguousarray(states)
        logits, _ = self.evaluate(states)
        if self.mode == "sample":
            noise = np.empty(logits.shape, np.float32)
            _gumbel(np.ascontiguousarray(words), noise)
            logits = logits + noise
        out[:] = logits.argmax(axis=1)

    def preferences(self, state: State) -> NDArray[np.float64]:
        """The probability of each action; -inf where it is not legal."""
        logits = self.evaluate(state[None])[0][0].astype(np.float64)
        weights = np.exp(logits - logits.max())
        return np.where(np.isfinite(logits), weights / weights.sum(), -np.inf)

    def value(self, state: State) -> float:
        """What the seat on turn expects to be paid."""
        return float(self.evaluate(state[None])[1][0])

    def evaluate(
        self, states: NDArray[np.int16]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The logits, -inf where an action is not legal, and the values for the seats on turn."""
        inputs, illegal = look(states, self._view, self.policy.adviser)
        logits, values = self.policy.evaluate(inputs)
        if self._lookahead is not None:
            worths = self._lookahead.worths(states)
            logits += np.where(np.isfinite(worths), TRUST * worths, 0.0).astype(np.float32)
        logits[illegal] = -np.inf
        return logits, values


def look(
    states: NDArray[np.int16], view: int, adviser: str
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What a network gets for the seats on turn, and which actions are not legal."""
    states = np.ascontiguousarray(states)
    inputs = np.zeros((len(states), input_size(adviser)), np.float32)
    illegal = np.empty((len(states), NUM_ACTIONS), np.bool_)
    _look(states, view, inputs, illegal)
    if adviser != "none":
        advise(states, states[:, SEAT].astype(np.int64), inputs)
    return inputs, illegal


@njit
def _look(
    states: NDArray[np.int16],
    view: int,
    inputs: NDArray[np.float32],
    illegal: NDArray[np.bool_],
) -> None:
    """What the seat on turn sees and may not do; an ended game has nobody who sees anything."""
    for game in range(len(states)):
        state = states[game]
        bits = legal_actions(state)
        if state[SEAT] >= 0:
            observe(state, int(state[SEAT]), view, inputs[game])
        for action in range(illegal.shape[1]):
            illegal[game, action] = bits != 0 and not (bits >> action) & 1


@njit
def _gumbel(words: NDArray[np.uint64], out: NDArray[np.float32]) -> None:
    """Noise that turns taking the largest logit into drawing by probabilities."""
    for game in range(len(words)):
        word = words[game]
        for action in range(out.shape[1]):
            word = next_word(word)
            uniform = (float(mix(word) >> np.uint64(11)) + 0.5) * 2.0**-53
            out[game, action] = -np.log(-np.log(uniform))
