# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends a plain SGD update to a gradient program as tpc-compile --stop-after=autodiff prints it.

Every result `dNAME` of a parameter NAME is replaced by a result NAME, which is the parameter less the rate times the
gradient, computed in the update phase. Works on the text: one function, results with tp.name, one return.
"""

import re
import sys

GENERIC = """\
    {out}_e = tensor.empty() : {kind}
    {out} = linalg.generic {{indexing_maps = [{map}, {map}, {map}], iterator_types = [{iterators}]}}
        ins({parameter}, {gradient} : {kind}, {kind}) outs({out}_e : {kind}) attrs = {{tp.phase = "update"}} {{
    ^bb0(%update_w: f32, %update_g: f32, %update_out: f32):
      %update_step = arith.mulf %update_g, %update_rate : f32
      %update_new = arith.subf %update_w, %update_step : f32
      linalg.yield %update_new : f32
    }} -> {kind}
"""


def append_update(text, rate):
    arguments = {
        name: (value, kind)
        for value, kind, name in re.findall(
            r'(%[\w$.#-]+): (tensor<[^<>]*>) \{[^{}]*?tp\.name = "([^"]+)"', text
        )
    }
    signature = re.search(r"func\.func .*?-> \((.*)\) \{\n", text)
    returned = list(
        re.finditer(
            r"\n *(?:func\.)?return ([^:\n]+) : ([^\n]+?)( loc\([^\n]*\))?\n", text
        )
    )[-1]
    names = re.findall(r'tp\.name = "([^"]+)"', signature.group(1))
    values = [v.strip() for v in returned.group(1).split(",")]
    if len(names) != len(values):
        sys.exit(f"expected a name for each of {len(values)} results, got {len(names)}")
    head, body = (
        signature.group(0),
        f"\n    %update_rate = arith.constant {rate!r} : f32 \n",
    )
    for i, name in enumerate(names):
        if name[:1] != "d" or name[1:] not in arguments:
            continue
        parameter, kind = arguments[name[1:]]
        rank = kind.count("x")
        dims = ", ".join(f"d{d}" for d in range(rank))
        iterators = ", ".join(['"parallel"'] * rank)
        body += GENERIC.format(
            out=f"%update{i}",
            kind=kind,
            map=f"affine_map<({dims}) -> ({dims})>",
            iterators=iterators,
            parameter=parameter,
            gradient=values[i],
        )
        values[i] = f"%update{i}"
        head = head.replace(f'tp.name = "{name}"', f'tp.name = "{name[1:]}"')
    body += f"    return {', '.join(values)} : {returned.group(2)}\n"
    text = text[: returned.start()] + body + text[returned.end() :]
    return text.replace(signature.group(0), head)
