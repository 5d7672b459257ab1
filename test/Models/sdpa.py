# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own attention in brain floats: causal, and with two heads of queries for each head of keys and values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, causal):
        super().__init__()
        self.causal = causal

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(
            q, k, v, is_causal=self.causal, enable_gqa=q.shape[1] != k.shape[1]
        )


def make(causal, heads):
    torch.manual_seed(11)
    tensors = tuple(torch.randn(2, h, 16, 8).bfloat16() for h in (4, heads, heads))
    return Attention(causal), tensors, ["q", "k", "v"], ["y"]


def sdpa_causal_bf16():
    return make(True, 4)


def sdpa_grouped_bf16():
    return make(False, 2)
