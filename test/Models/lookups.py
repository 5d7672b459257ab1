# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads at computed places: an embedding, a column selection, a gather along rows, and maxima with their indices."""

import torch


class Lookups(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.table = torch.nn.Parameter(torch.randn(9, 6))

    def forward(self, x, ids, columns, own):
        tokens = torch.nn.functional.embedding(ids, self.table)
        chosen = torch.index_select(x, 1, columns)
        shuffled = torch.gather(x, 1, own)
        best, place = torch.max(x, dim=1)
        # Negative indices count from the end.
        rows = x[ids[0] - 2]
        return tokens * tokens, chosen * chosen, shuffled.exp(), best * best, place, rows


def lookups():
    torch.manual_seed(8)
    x = torch.randn(5, 6)
    ids = torch.tensor([[3, 0, 3, 1], [8, 2, 0, 3]])
    columns = torch.tensor([4, 0, 4])
    own = torch.randint(0, 6, (5, 3))
    return (
        Lookups(),
        (x, ids, columns, own),
        ["x", "ids", "columns", "own"],
        ["tokens", "chosen", "shuffled", "best", "place", "rows"],
    )
