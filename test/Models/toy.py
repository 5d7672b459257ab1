# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two-layer model: Linear(10, 32), ReLU, Linear(32, 5), with and without a mean-squared loss."""

import torch
import torch.nn as nn


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(10, 32)
        self.relu = nn.ReLU()
        self.out_proj = nn.Linear(32, 5)

    def forward(self, x):
        h = self.relu(self.in_proj(x))
        return self.out_proj(h)


class ToyLoss(Toy):
    def forward(self, x, t):
        y = super().forward(x)
        return ((y - t) ** 2).mean()


def make(kind, rows):
    torch.manual_seed(0)
    model, x, t = kind(), torch.randn(rows, 10), torch.randn(rows, 5)
    return (
        (model, (x, t), ["x", "t"], ["loss"])
        if kind is ToyLoss
        else (model, (x,), ["x"], ["y"])
    )


def toy():
    return make(Toy, 4)


def toy_loss():
    return make(ToyLoss, 4)


def toy16():
    return make(Toy, 16)


def toy16_loss():
    return make(ToyLoss, 16)


def toy128():
    """A batch that makes gathering it dearer than reducing the gradients, as data parallelism expects."""
    return make(Toy, 128)


def toy128_loss():
    return make(ToyLoss, 128)


def double(made):
    """The same model in float64, for finite differences."""
    return made[0].double(), tuple(v.double() for v in made[1]), *made[2:]


def toy_f64():
    return double(toy())


def toy_loss_f64():
    return double(toy_loss())
