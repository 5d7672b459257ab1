# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A two-layer model and its mean-squared loss, as tpc-import takes them."""

import torch
import torch.nn as nn


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(10, 32)
        self.out_proj = nn.Linear(32, 5)

    def forward(self, x, t):
        h = torch.relu(self.in_proj(x))
        y = self.out_proj(h)
        return ((y - t) ** 2).mean()


def toy():
    torch.manual_seed(0)
    return Toy(), (torch.randn(4, 10), torch.randn(4, 5)), ["x", "t"], ["loss"]
