# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends an SGD update to a gradient program as tpc-compile --stop-after=autodiff prints it.

  python3 test/bench/sgd_update.py RATE [MOMENTUM] < gradients.mlir > step.mlir

Every result `dNAME` of a parameter NAME is replaced by a result NAME, which is the parameter less the rate times the
gradient, computed in the update phase. With momentum there are an argument and a result `momentum.NAME` more for each:
the new one is the old one times the momentum plus the gradient, and stands in for the gradient in the update.
Works on the text: one function, results with tp.name, one return.
"""

import re
import sys

GENERIC = """\
    {out}_e = tensor.empty() : {kind}
    {out} = linalg.generic {{indexing_maps = [{map}, {map}, {map}], iterator_types = [{iterators}]}}
        ins({old}, {step} : {kind}, {kind}) outs({out}_e : {kind}) attrs = {{tp.phase = "update"}} {{
    ^bb0(%update_old: f32, %update_step: f32, %update_out: f32):
      {body}
      linalg.yield %update_new : f32
    }} -> {kind}
"""
DESCEND = """%update_scaled = arith.mulf %update_step, %update_rate : f32
      %update_new = arith.subf %update_old, %update_scaled : f32"""
GATHER_SPEED = """%update_kept = arith.mulf %update_old, %update_momentum : f32
      %update_new = arith.addf %update_kept, %update_step : f32"""


def elementwise(out, kind, old, step, body):
    rank = kind.count("x")
    dims = ", ".join(f"d{d}" for d in range(rank))
    return GENERIC.format(
        out=out,
        kind=kind,
        map=f"affine_map<({dims}) -> ({dims})>",
        iterators=", ".join(['"parallel"'] * rank),
        old=old,
        step=step,
        body=body,
    )


def append_update(text, rate, momentum=None):
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
    head = signature.group(0)
    body = f"\n    %update_rate = arith.constant {rate!r} : f32 \n"
    kinds, new_arguments, new_results = returned.group(2), "", ""
    if momentum is not None:
        body += f"    %update_momentum = arith.constant {momentum!r} : f32 \n"
    for i, name in enumerate(names):
        if name[:1] != "d" or name[1:] not in arguments:
            continue
        parameter, kind = arguments[name[1:]]
        step = values[i]
        if momentum is not None:
            speed = f'{{tp.name = "momentum.{name[1:]}"}}'
            new_arguments += f", %momentum{i}: {kind} {speed}"
            new_results += f", {kind} {speed}"
            kinds += f", {kind}"
            step = f"%speed{i}"
            body += elementwise(step, kind, f"%momentum{i}", values[i], GATHER_SPEED)
            values.append(step)
        body += elementwise(f"%update{i}", kind, parameter, step, DESCEND)
        values[i] = f"%update{i}"
        head = head.replace(f'tp.name = "{name}"', f'tp.name = "{name[1:]}"')
    head = head.replace(") -> (", f"{new_arguments}) -> (", 1)
    head = re.sub(r"\) \{\n$", lambda end: new_results + end.group(0), head)
    body += f"    return {', '.join(values)} : {kinds}\n"
    text = text[: returned.start()] + body + text[returned.end() :]
    return text.replace(signature.group(0), head)


def main():
    numbers = [float(argument) for argument in sys.argv[1:]]
    if len(numbers) not in (1, 2):
        sys.exit(__doc__)
    sys.stdout.write(append_update(sys.stdin.read(), *numbers))


if __name__ == "__main__":
    main()
