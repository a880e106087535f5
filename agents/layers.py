"""Small networks in numpy: layers, one after the other, with ReLU between them."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]
"""Weight `(outputs, inputs)` and bias `(outputs,)`."""


def forward(layers: list[Layer], inputs: Floats) -> Floats:
    """What comes out of the last layer."""
    *hidden, (weight, bias) = layers
    x = features(hidden, inputs)
    with _blas().limit(limits=1):
        return x @ weight.T + bias


def features(layers: list[Layer], inputs: Floats) -> Floats:
    """What comes out of hidden layers."""
    with _blas().limit(limits=1):
        x = inputs
        for weight, bias in layers:
            x = np.maximum(x @ weight.T + bias, 0)
    return x


@cache
def _blas() -> Any:
    """Sets numpy's threads. Beside a busy neighbour, products as small as these take many times as
    long on two threads, which wait for each other, as on one."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
