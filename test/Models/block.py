# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pre-norm transformer block: causal attention and an MLP with GELU, each behind a layer normalisation and beside
the residual; in 32-bit and in brain floats, and at the size that the device benchmark measures."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d, heads, wide):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(d)
        self.q = nn.Linear(d, d)
        # A bias of the keys moves all scores of a row alike: it changes nothing.
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d)
        self.o = nn.Linear(d, d)
        self.norm2 = nn.LayerNorm(d)
        self.up = nn.Linear(d, wide)
        self.down = nn.Linear(wide, d)

    def attend(self, x):
        batch, rows, d = x.shape

        def split(t):
            return t.reshape(batch, rows, self.heads, d // self.heads).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        row, column = torch.arange(rows)[:, None], torch.arange(rows)[None, :]
        scores = torch.where(column <= row, scores, -1e9)
        mixed = torch.softmax(scores, -1) @ v
        return self.o(mixed.transpose(1, 2).reshape(batch, rows, d))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def make(dtype, batch, rows, d, heads):
    torch.manual_seed(5)
    module = Block(d, heads, 4 * d).to(dtype)
    return module, (torch.randn(batch, rows, d).to(dtype),), ["x"], ["y"]


def block():
    return make(torch.float32, 2, 24, 32, 4)


def block_bf16():
    return make(torch.bfloat16, 2, 24, 32, 4)


def block_large_bf16():
    return make(torch.bfloat16, 4, 2048, 2048, 16)
