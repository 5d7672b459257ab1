# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer normalisation, and a pre-norm attention block with a causal mask."""

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(d)
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x):
        batch, rows, d = x.shape

        def split(t):
            return t.reshape(batch, rows, self.heads, d // self.heads).transpose(1, 2)

        n = self.norm(x)
        q, k, v = split(self.q(n)), split(self.k(n)), split(self.v(n))
        scores = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5
        row, column = torch.arange(rows)[:, None], torch.arange(rows)[None, :]
        scores = torch.where(column <= row, scores, -1e9)
        mixed = torch.softmax(scores, -1) @ v
        return x + self.o(mixed.transpose(1, 2).reshape(batch, rows, d))


def layernorm():
    torch.manual_seed(3)
    model = nn.LayerNorm(8)
    nn.init.normal_(model.weight)
    nn.init.normal_(model.bias)
    return model, (torch.randn(6, 8),), ["x"], ["y"]


def attention():
    torch.manual_seed(4)
    return Attention(16, 4), (torch.randn(2, 8, 16),), ["x"], ["y"]
