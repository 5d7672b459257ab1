# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small language model and its loss: embeddings, a pre-norm block with causal attention, scores over the vocabulary, and their cross-entropy, where one target is left out."""

import torch
from torch.nn import functional


class Language(torch.nn.Module):
    def __init__(self, vocabulary, width, heads, length):
        super().__init__()
        torch.manual_seed(3)
        self.heads = heads
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.places = torch.nn.Parameter(torch.randn(length, width) / 4)
        self.before = torch.nn.LayerNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.between = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 2 * width)
        self.down = torch.nn.Linear(2 * width, width)
        self.scores = torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.places
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.before(x)).split(width, 2)
        )
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        hidden = functional.gelu(self.up(self.between(x)), approximate="tanh")
        scores = self.scores(x + self.down(hidden))
        return functional.cross_entropy(
            scores.view(-1, scores.shape[-1]), targets.view(-1), ignore_index=-100
        )


def language():
    torch.manual_seed(4)
    ids = torch.randint(0, 29, (4, 6))
    targets = torch.randint(0, 29, (4, 6))
    targets[1, 2] = -100
    return Language(29, 16, 4, 6), (ids, targets), ["ids", "targets"], ["loss"]
