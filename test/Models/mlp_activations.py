# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layers with an activation between them, whose gradients cuBLASLt has as epilogues: ReLU and the tanh form of
GELU, in 32-bit and in brain floats, and with a width that no epilogue fits."""

import torch
import torch.nn as nn


class Mlp(nn.Module):
    def __init__(self, d, wide, activation):
        super().__init__()
        self.up = nn.Linear(d, wide)
        self.activation = activation
        self.down = nn.Linear(wide, d)

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


def make(activation, dtype, wide=128):
    torch.manual_seed(7)
    module = Mlp(24, wide, activation).to(dtype)
    return module, (torch.randn(2, 20, 24).to(dtype),), ["x"], ["y"]


def mlp_relu():
    return make(nn.ReLU(), torch.float32, 256)


def mlp_relu_bf16():
    return make(nn.ReLU(), torch.bfloat16, 256)


def mlp_gelu():
    return make(nn.GELU("tanh"), torch.float32)


def mlp_gelu_bf16():
    return make(nn.GELU("tanh"), torch.bfloat16)


def mlp_gelu_odd_bf16():
    return make(nn.GELU("tanh"), torch.bfloat16, 54)
