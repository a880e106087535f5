"""Everything that going on with a run needs, in one file that is whole or absent.

The file holds tensors, numbers and texts only and is read without executing code; what people
exchange is the policy file beside it (see `agents.policy`).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents import advice
from agents.policy import Policy, policy_from_tensors
from ra_env import observation
from ra_env.actions import NUM_ACTIONS
from ra_env.files import whole_file
from training.learner import SelfPlayPPO
from training.settings import Settings, SettingsError

FORMAT = "ra-checkpoint/1"
VERSIONS = {
    "format": FORMAT,
    "observation_version": observation.VERSION,
    "num_actions": NUM_ACTIONS,
    "advice_version": advice.VERSION,
}


class CheckpointError(ValueError):
    """A checkpoint that training cannot go on from."""


def save_checkpoint(path: Path, learner: SelfPlayPPO, facts: dict[str, Any]) -> None:
    """Write a checkpoint beside the old one, then put it in its place."""
    games, opponents = learner.games, learner.opponents
    content = {
        "versions": VERSIONS,
        "settings": learner.settings.to_dict(),
        "facts": facts,
        "policy": learner.policy.state_dict(),
        "optimiser": learner.policy.optimizer.state_dict(),
        "counts": {
            "decisions": learner.num_timesteps,
            "updates": learner.updates,
            "gradient_epochs": learner._n_updates,
            "progress": learner.progress,
            "games_played": learner.games_played,
            "seconds": learner.seconds,
        },
        "states": torch.from_numpy(games.states.copy()),
        "words": _as_tensor(games.words),
        "owner": torch.from_numpy(opponents.owner.copy()),
        "opponent_words": _as_tensor(opponents.words),
        "snapshots": [_to_tensors(policy) for policy in opponents.snapshots],
        "torch_random": torch.get_rng_state(),
        "numpy_random": json.dumps(learner.rng.bit_generator.state),
    }
    with whole_file(path) as file:
        torch.save(content, file)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint, once its versions fit. `CheckpointError` says what does not."""
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path} to go on from")
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        versions = content["versions"]
    except Exception as error:  # whatever a damaged file makes of the reader
        raise CheckpointError(f"{path} is not a checkpoint, or is damaged: {error}") from None
    for key, wanted in VERSIONS.items():
        if versions.get(key) != wanted:
            raise CheckpointError(
                f"{path} was made for another version: {key} is {versions.get(key)!r}, "
                f"this version needs {wanted!r}"
            )
    return content


def settings_of(content: dict[str, Any]) -> Settings:
    """The settings that a checkpoint was made with."""
    try:
        return Settings.from_dict(content["settings"])
    except (KeyError, TypeError, SettingsError) as error:
        raise CheckpointError(f"the checkpoint's settings cannot be used: {error}") from None


def restore(learner: SelfPlayPPO, content: dict[str, Any]) -> None:
    """Put a learner of the same settings where the checkpoint was."""
    counts = content["counts"]
    learner.policy.load_state_dict(content["policy"])
    learner.policy.optimizer.load_state_dict(content["optimiser"])
    learner.num_timesteps = counts["decisions"]
    learner.updates = counts["updates"]
    learner._n_updates = counts["gradient_epochs"]
    learner.progress = counts["progress"]
    learner.games_played = counts["games_played"]
    learner.seconds = dict(counts["seconds"])
    learner.games.restore(content["states"].numpy(), _as_words(content["words"]))
    opponents = learner.opponents
    opponents.owner[:] = content["owner"].numpy()
    opponents.words[:] = _as_words(content["opponent_words"])
    opponents.snapshots = [_to_policy(tensors, learner.facts()) for tensors in content["snapshots"]]
    learner.rng.bit_generator.state = json.loads(content["numpy_random"])
    torch.set_rng_state(content["torch_random"])


def _as_tensor(words: Any) -> torch.Tensor:
    return torch.from_numpy(words.view(np.int64).copy())


def _as_words(tensor: torch.Tensor) -> Any:
    return tensor.numpy().view(np.uint64)


def _to_tensors(policy: Policy) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(array) for name, array in policy.tensors().items()}


def _to_policy(tensors: dict[str, torch.Tensor], facts: dict[str, str]) -> Policy:
    return policy_from_tensors({name: tensor.numpy() for name, tensor in tensors.items()}, facts)
