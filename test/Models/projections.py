# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several projections of one input: SwiGLU (w1, w3, w2) and Q, K, V with an output projection.

These are the models whose input gradient PyTorch reduces once per projection, where one reduction is enough.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, d, f):
        super().__init__()
        self.w1 = nn.Linear(d, f, bias=False)
        self.w3 = nn.Linear(d, f, bias=False)
        self.w2 = nn.Linear(f, d, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class QKV(nn.Module):
    """Elementwise instead of attention, so that the projections are all there is to plan."""

    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x):
        return self.o(torch.tanh(self.q(x)) * self.k(x) + self.v(x))


def swiglu():
    torch.manual_seed(1)
    return SwiGLU(16, 32), (torch.randn(8, 16),), ["x"], ["y"]


def qkv():
    torch.manual_seed(2)
    return QKV(16), (torch.randn(8, 16),), ["x"], ["y"]


def qkv_batched():
    """Batch and sequence dims, which torch-mlir collapses before each matmul."""
    torch.manual_seed(2)
    return QKV(16), (torch.randn(2, 8, 16),), ["x"], ["y"]
