"""Matrix products that round as the exported graph does, so that a model learns to live with it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from trackdown.lab.train.int8_scale import ACTIVATION_STEPS, WEIGHT_STEPS


def rounded(values: Tensor, steps: int) -> Tensor:
    """Rows in whole steps of their largest value / `steps`; for gradients, as if nothing had been rounded."""
    scale = values.detach().abs().amax(-1, keepdim=True).clamp(min=1e-12) / steps
    return values + (torch.round(values / scale) * scale - values).detach()


class Int8Linear(nn.Linear):
    """A matrix product that, while `rounding`, computes as the exported graph does."""

    rounding = False

    def forward(self, given: Tensor) -> Tensor:
        if not self.rounding:
            return super().forward(given)
        activations = rounded(given.float(), ACTIVATION_STEPS).to(given.dtype)
        return f.linear(activations, rounded(self.weight, WEIGHT_STEPS), self.bias)
