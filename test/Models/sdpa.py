# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in brain floats: PyTorch's own, causal and with two heads of queries for each head of keys and values; with
batch and heads in one dim and its softmax written out; and of grouped queries as products of five dims."""

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


class Written(nn.Module):
    def forward(self, q, k, v):
        batch, heads, rows, features = q.shape
        q, k, v = (t.reshape(batch * heads, rows, features) for t in (q, k, v))
        scores = torch.bmm(q, k.transpose(1, 2)).float() / features**0.5
        exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
        probabilities = exponentials / exponentials.sum(-1, keepdim=True)
        mixed = torch.bmm(probabilities.to(q.dtype), v)
        return mixed.reshape(batch, heads, rows, features)


class Grouped(nn.Module):
    def forward(self, q, k, v):
        batch, heads, rows, features = q.shape
        groups = k.shape[1]
        q = q.reshape(batch, groups, heads // groups, rows, features)
        scores = torch.einsum("bghsd,bgtd->bghst", q, k).float() / features**0.5
        probabilities = torch.softmax(scores, -1).to(q.dtype)
        mixed = torch.einsum("bghst,bgtd->bghsd", probabilities, v)
        return mixed.reshape(batch, heads, rows, features)


def attention_written_bf16():
    return Written(), *make(False, 4)[1:]


def attention_grouped_bf16():
    return Grouped(), *make(False, 2)[1:]
