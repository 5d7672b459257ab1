# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every scalar function that tpc differentiates, one result for each group, on inputs away from kinks and poles."""

import torch
import torch.nn.functional as F


def functions(x, p):
    """`x` of either sign, `p` positive."""
    smooth = torch.exp(x) + torch.tanh(x) * torch.sin(x) + torch.cos(x) + torch.erf(x)
    positive = (
        torch.log(p)
        + torch.sqrt(p) * torch.rsqrt(p + 1.0)
        + torch.pow(p, 1.7)
        + torch.pow(p, x)
    )
    gates = torch.sigmoid(x) + F.silu(x) + F.gelu(x) + F.softplus(x)
    pieces = (
        torch.abs(x)
        + torch.maximum(x, p)
        - torch.minimum(x * p, p)
        + F.relu(x)
        + torch.clamp(x, -0.5, 0.5)
    )
    chosen = torch.where(x > p, x / p, -p * x)
    return smooth, positive, gates, pieces, chosen


def reductions(x, p):
    """Max and min along both dims, softmax, and a mean of products."""
    return (
        torch.amax(x, 1) - torch.amin(x, 0)[:4],
        torch.softmax(x, 1),
        torch.logsumexp(x * p, 0),
        (x * p).mean(),
    )


def inputs(dtype):
    torch.manual_seed(5)
    x = torch.randn(4, 6)
    # Farther than a finite difference reaches from the kinks at 0 and +-0.5.
    x = x + 0.05 * torch.sign(x)
    return x.to(dtype), (torch.rand(4, 6) + 0.6).to(dtype)


def scalars():
    return (
        functions,
        inputs(torch.float32),
        ["x", "p"],
        ["smooth", "positive", "gates", "pieces", "chosen"],
    )


def scalars_f64():
    return (
        functions,
        inputs(torch.float64),
        ["x", "p"],
        ["smooth", "positive", "gates", "pieces", "chosen"],
    )


def reductions_f64():
    return (
        reductions,
        inputs(torch.float64),
        ["x", "p"],
        ["spread", "soft", "lse", "mean"],
    )
