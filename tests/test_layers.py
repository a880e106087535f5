"""Small networks in numpy give what torch gives."""

import numpy as np
import torch
from torch import nn

from agents.layers import features, forward


def test_layers_are_those_of_torch() -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(7, 5), nn.Linear(5, 4), nn.Linear(4, 3)]
    arrays = [(x.weight.detach().numpy(), x.bias.detach().numpy()) for x in layers]
    inputs = torch.randn(20, 7)
    hidden = torch.relu(layers[1](torch.relu(layers[0](inputs))))
    np.testing.assert_allclose(
        features(arrays[:2], inputs.numpy()), hidden.detach().numpy(), atol=1e-6
    )
    wanted = layers[2](hidden).detach().numpy()
    np.testing.assert_allclose(forward(arrays, inputs.numpy()), wanted, atol=1e-6)
