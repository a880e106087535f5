"""Policies as files: a small network in numpy, kept in a safetensors file.

The file holds the weights, and as metadata the settings, versions and facts of its training.
Loading it executes no code, so a policy from a stranger is safe to load. Neither torch nor
stable-baselines3 is needed.
"""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents import advice
from agents.layers import Floats, Layer, features, forward
from ra_env import observation
from ra_env.actions import NUM_ACTIONS
from ra_env.files import whole_file
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import MAX_PLAYERS

FORMAT = "ra-policy/1"
BUNDLED_FILE = Path(__file__).with_name("bundled.safetensors")
"""The trained policy that comes with the package; docs/bundled_policy.md is its card."""


class PolicyError(ValueError):
    """A policy file that cannot be used."""


@dataclass(frozen=True)
class Policy:
    """A network with a shared trunk of ReLU layers and two heads."""

    trunk: list[Layer]
    policy: Layer
    value: Layer
    metadata: dict[str, Any]
    worth: list[Layer] = field(default_factory=list)
    """A second network, for those that look one move ahead (`agents.lookahead`): it says what
    positions are worth."""

    @property
    def view(self) -> str:
        """What the policy was trained to see."""
        return str(self.metadata["view"])

    @property
    def adviser(self) -> str:
        """Whose advice it gets beside its observation."""
        return str(self.metadata["advice"])

    def tensors(self) -> dict[str, Floats]:
        """The weights under the names they have in a file."""
        named = {f"trunk.{i}": layer for i, layer in enumerate(self.trunk)}
        named |= {"policy": self.policy, "value": self.value}
        named |= {f"worth.{i}": layer for i, layer in enumerate(self.worth)}
        return {
            f"{name}.{kind}": array
            for name, layer in named.items()
            for kind, array in zip(("weight", "bias"), layer, strict=True)
        }

    def evaluate(self, inputs: Floats) -> tuple[Floats, Floats]:
        """The logits `(B, 54)` and values `(B,)` of inputs: observations, or with an adviser
        observations and advice."""
        x = features(self.trunk, inputs)
        return forward([self.policy], x), forward([self.value], x)[:, 0]


def with_advice(policy: Policy) -> Policy:
    """The same policy as one that gets the heuristic's advice, and does not heed it yet."""
    if policy.adviser != "none":
        return policy
    layers = [*policy.trunk, policy.policy, policy.value]
    weight, bias = layers[0]
    layers[0] = np.pad(weight, ((0, 0), (0, advice.INPUT_SIZE - weight.shape[1]))), bias
    metadata = policy.metadata | {"advice": "heuristic"}
    *trunk, head, value = layers
    return replace(policy, trunk=trunk, policy=head, value=value, metadata=metadata)


def save_policy(path: str | Path, tensors: dict[str, Floats], facts: dict[str, Any]) -> None:
    """Write a policy file, whole or not at all."""
    from safetensors.numpy import save

    metadata = {
        "format": FORMAT,
        "observation_version": observation.VERSION,
        "observation_size": OBSERVATION_SIZE,
        "num_actions": NUM_ACTIONS,
        "advice_version": advice.VERSION,
        **facts,
    }
    content = save(
        {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()},
        {key: json.dumps(value) for key, value in metadata.items()},
    )
    with whole_file(path) as file:
        file.write(content)


def load_policy(path: str | Path) -> Policy:
    """Read a policy file. `PolicyError` says why one cannot be used."""
    try:
        import threadpoolctl  # noqa: F401 - for playing it
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise PolicyError(
            "policy files need some more packages: pip install 'ra-env[cli]'"
        ) from None
    if not Path(path).is_file():
        raise PolicyError(f"there is no policy file {path}")
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = {k: json.loads(v) for k, v in (file.metadata() or {}).items()}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict
    except (SafetensorError, ValueError, OSError) as error:
        raise PolicyError(f"{path} is not a policy file, or is damaged: {error}") from None
    try:
        _check_metadata(metadata)
        return policy_from_tensors(tensors, metadata)
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from None


def _check_metadata(metadata: dict[str, Any]) -> None:
    wanted = {
        "format": FORMAT,
        "observation_version": observation.VERSION,
        "observation_size": OBSERVATION_SIZE,
        "num_actions": NUM_ACTIONS,
        "advice_version": advice.VERSION,
    }
    for key, value in wanted.items():
        if metadata.get(key) != value:
            raise PolicyError(
                f"made for another version: {key} is {metadata.get(key)!r}, "
                f"this version needs {value!r}"
            )
    if metadata.get("view") not in observation.VIEWS:
        raise PolicyError(f"does not say what it sees: view is {metadata.get('view')!r}")
    if metadata.get("advice") not in advice.ADVISERS:
        raise PolicyError(f"does not say who advises it: advice is {metadata.get('advice')!r}")


def policy_from_tensors(tensors: dict[str, Floats], metadata: dict[str, Any]) -> Policy:
    """A policy from its weights. `PolicyError` names what is missing or of the wrong shape."""
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise PolicyError("some weights are not finite")
    trunk, size = _stack(tensors, "trunk", advice.input_size(metadata["advice"]))
    policy = _layer(tensors, "policy", NUM_ACTIONS, size)
    value = _layer(tensors, "value", 1, size)
    worth, outputs = _stack(tensors, "worth", advice.POSITION_SIZE)
    if worth and outputs != MAX_PLAYERS:
        raise PolicyError(f"worth has {outputs} outputs, not {MAX_PLAYERS}")
    if worth and metadata["view"] != "memory":
        raise PolicyError(f"looks ahead with view {metadata['view']!r}; it takes 'memory'")
    return Policy(trunk, policy, value, metadata, worth)


def _stack(tensors: dict[str, Floats], name: str, inputs: int) -> tuple[list[Layer], int]:
    """Layers `name.0`, `name.1` and so on, as many as there are, and the outputs of the last."""
    count = sum(key.startswith(f"{name}.") and key.endswith(".weight") for key in tensors)
    layers = []
    for number in range(count):
        layers.append(_layer(tensors, f"{name}.{number}", None, inputs))
        inputs = len(layers[-1][1])
    return layers, inputs


def _layer(tensors: dict[str, Floats], name: str, outputs: int | None, inputs: int) -> Layer:
    try:
        weight, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    except KeyError as error:
        raise PolicyError(f"the tensor {error} is missing") from None
    wanted = (len(bias) if outputs is None else outputs, inputs)
    if weight.shape != wanted or bias.shape != wanted[:1] or weight.dtype != np.float32:
        raise PolicyError(
            f"{name} is {weight.dtype} of shape {weight.shape}, not float32 of shape {wanted}"
        )
    return weight, bias
