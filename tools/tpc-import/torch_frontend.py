# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch to linalg on tensors, through torch.export and torch-mlir: parameters become named arguments, and every
operation keeps the module path and the line of the model file that it came from."""

import os
import re
import types

from model_file import (
    ImportFailure,
    check_distinct,
    check_input_names,
    default_output_names,
    load_function,
    parameter_names,
    save_tensors,
    shown_path,
    unpack,
    write_module,
)


class Model:
    """What FUNCTION returned, checked: a module, its example inputs and the names of both sides."""

    def __init__(self, spec, returned, torch):
        module, inputs, input_names, self.output_names = unpack(spec, returned)
        if isinstance(inputs, torch.Tensor):
            inputs = (inputs,)
        for i, value in enumerate(inputs):
            if not isinstance(value, torch.Tensor):
                raise ImportFailure(
                    f"example input {i} of '{spec}': expected a tensor, got {type(value).__name__}"
                )
        if not callable(module):
            raise ImportFailure(
                f"'{spec}': expected a module or a function first, got {type(module).__name__}"
            )
        forward = getattr(module, "forward", module)
        if not isinstance(module, torch.nn.Module):
            module = as_module(module, torch)
        self.module, self.inputs = module, tuple(inputs)
        if input_names is None:
            input_names = parameter_names(forward, len(self.inputs))
        self.input_names = check_input_names(spec, input_names, len(self.inputs))


def as_module(function, torch):
    """A module around a function of tensors."""
    if isinstance(function, types.FunctionType):
        # torch.export keeps the source lines of frames that are called forward.
        function = types.FunctionType(
            function.__code__.replace(co_name="forward"),
            function.__globals__,
            "forward",
            function.__defaults__,
            function.__closure__,
        )

    class Function(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)

    return Function()


def module_path(node):
    """The dotted path of the innermost module that a node of the exported graph came from, or ''."""
    stack = node.meta.get("nn_module_stack") or {}
    path = ""
    for qualified, _ in stack.values():
        path = qualified or path
    # export writes paths as attribute access on the root, and numbers repeated calls with '@'.
    path = re.sub(r"^L\['self'\]\.?|^L__self__\.?", "", path)
    return path.split("@")[0]


def source_line(node, folder):
    """(file, line) of the innermost frame in the model's folder, else of the innermost frame of a library."""
    frames = re.findall(
        r'File "([^"]+)", line ([0-9]+)', node.meta.get("stack_trace") or ""
    )
    own = [f for f in frames if os.path.realpath(f[0]).startswith(folder + os.sep)]
    own = [f for f in own if "site-packages" not in f[0]]
    if not frames:
        return None
    path, line = (own or frames)[-1]
    return shown_path(path, folder), int(line)


def merge_tied(program, module):
    """Gives a parameter that is known under several names one placeholder: all uses go to its first name."""
    tensors = dict(module.named_parameters(remove_duplicate=False))
    first, by_name = {}, {
        n.name: n for n in program.graph.nodes if n.op == "placeholder"
    }
    for argument, target in list(program.graph_signature.inputs_to_parameters.items()):
        kept = first.setdefault(id(tensors[target]), argument)
        if kept != argument:
            by_name[argument].replace_all_uses_with(by_name[kept])
            program.graph.erase_node(by_name[argument])
            specs = program.graph_signature.input_specs
            specs[:] = [s for s in specs if getattr(s.arg, "name", None) != argument]


def lift_state(program):
    """Makes parameters and buffers arguments behind the inputs. Returns (dotted name, is a parameter) of each, in
    the order of the arguments."""
    from torch.export.graph_signature import InputKind

    signature = program.graph_signature
    by_name = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    state, anchor = [], None
    for spec in signature.input_specs:
        if spec.kind == InputKind.USER_INPUT:
            anchor = by_name[spec.arg.name]
    for spec in signature.input_specs:
        if spec.kind not in (InputKind.PARAMETER, InputKind.BUFFER):
            continue
        state.append((spec.target, spec.kind == InputKind.PARAMETER))
        node = by_name[spec.arg.name]
        if anchor is not None:
            anchor.append(node)
        anchor = node
        spec.kind, spec.target, spec.persistent = InputKind.USER_INPUT, None, None
    return state


def attention_in_parts(torch):
    """PyTorch's attention as its kernels compute it: the scale on the scores, and these in 32 bits. Its own
    decomposition scales queries and keys."""
    attention = torch.ops.aten.scaled_dot_product_attention.default
    others = torch.ops.aten._scaled_dot_product_attention_math.default

    def parts(
        q,
        k,
        v,
        mask=None,
        dropout=0.0,
        is_causal=False,
        *,
        scale=None,
        enable_gqa=False,
    ):
        if mask is not None or dropout:
            return others(
                q, k, v, mask, dropout, is_causal, scale=scale, enable_gqa=enable_gqa
            )[0]
        if enable_gqa:
            k = k.repeat_interleave(q.size(-3) // k.size(-3), -3)
            v = v.repeat_interleave(q.size(-3) // v.size(-3), -3)
        wide = torch.promote_types(q.dtype, torch.float32)
        scores = q.to(wide) @ k.to(wide).transpose(-2, -1)
        scores = scores * (q.size(-1) ** -0.5 if scale is None else scale)
        if is_causal:
            row = torch.arange(q.size(-2), device=q.device)[:, None]
            column = torch.arange(k.size(-2), device=q.device)[None, :]
            scores = torch.where(column <= row, scores, float("-inf"))
        return (torch.softmax(scores, -1) @ v.to(wide)).to(q.dtype)

    return {attention: parts}


def export(model, folder, name, torch):
    """The MLIR module in linalg on tensors, its arguments as (name, is a parameter), and where each is first used."""
    from torch_mlir import fx, ir
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    from torch_mlir.extras.fx_importer import ContextCache, FxImporter

    program = torch.export.export(model.module, model.inputs, strict=False)
    # torch-mlir's own form of the tanh GELU has 0.797724 where sqrt(2/pi) = 0.797885 belongs.
    table = {
        **get_decomposition_table(),
        **torch._decomp.get_decompositions([torch.ops.aten.gelu]),
        **attention_in_parts(torch),
    }
    program = program.run_decompositions(table)
    signature = program.graph_signature
    changed = [
        *signature.buffers_to_mutate.values(),
        *signature.user_inputs_to_mutate.values(),
    ]
    if changed:
        raise ImportFailure(
            f"the model changes {', '.join(repr(c) for c in changed)} while it runs; a program for "
            "tpc is a function of its arguments (call eval(), or return the new value)"
        )
    merge_tied(program, model.module)
    state = lift_state(program)
    lines = first_uses(program, folder)

    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)

    # The importer's own locations are call stacks through torch with absolute paths.
    class ModelLocations(ContextCache):
        def get_node_location(self, node):
            line = source_line(node, folder)
            if line is None:
                return None
            place = ir.Location.file(*line, col=0, context=context)
            path = module_path(node)
            return ir.Location.name(path, place, context=context) if path else place

    importer._cc = ModelLocations(context, py_attr_tracker=importer._py_attr_tracker)
    module = fx.export_and_import(
        program,
        fx_importer=importer,
        decomposition_table={},
        output_type="linalg-on-tensors",
        func_name=name,
    )
    arguments = [(n, False) for n in model.input_names] + state
    check_distinct([n for n, _ in arguments])
    return context, module, arguments, lines


def first_uses(program, folder):
    """The source line of the first use of each argument, None where there is none."""
    lines = []
    for node in program.graph.nodes:
        if node.op == "placeholder":
            found = (source_line(user, folder) for user in node.users)
            lines.append(next((line for line in found if line), None))
    return lines


def with_argument_locations(text, arguments, lines):
    """Gives each argument its name and first use as location: the exporter repeats the function's own there."""
    head, signature, rest = re.split(r"(\n *func\.func .*\n)", text, maxsplit=1)
    pieces = iter(zip(arguments, lines))

    def replace(match):
        (name, _), line = next(pieces)
        place = f'("{line[0]}":{line[1]}:0)' if line else ""
        return f'{match.group(1)} loc("{name}"{place})'

    signature = re.sub(
        r"(\{tp\.name = [^}]*\}) loc\((?:[^()]|\([^()]*\))*\)", replace, signature
    )
    return head + signature + rest


def annotate(context, module, arguments, output_names):
    """Sets tp.name and tp.param on the function's arguments and results."""
    from torch_mlir import ir

    context.allow_unregistered_dialects = True
    with context:
        function = next(
            op for op in module.body.operations if op.operation.name == "func.func"
        )
        inputs, results = function.type.inputs, function.type.results
        if len(inputs) != len(arguments):
            raise ImportFailure(
                f"expected {len(arguments)} arguments after export, got {len(inputs)}: "
                "an input that is not a tensor, or that shares memory with another?"
            )
        output_names = default_output_names(output_names, len(results))
        quote = lambda text: str(ir.StringAttr.get(text))
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [
                ir.Attribute.parse(
                    f"{{tp.name = {quote(n)}{', tp.param' if parameter else ''}}}"
                )
                for n, parameter in arguments
            ]
        )
        function.attributes["res_attrs"] = ir.ArrayAttr.get(
            [ir.Attribute.parse(f"{{tp.name = {quote(n)}}}") for n in output_names]
        )


def save_separately(tensors, path):
    from safetensors.torch import save_file

    # Each tensor needs memory of its own.
    save_file({n: v.detach().contiguous().clone() for n, v in tensors.items()}, path)


def import_torch(args):
    try:
        import torch
        import torch_mlir  # noqa: F401 (only to say early that it is missing)
    except ImportError as error:
        raise ImportFailure(
            f"{error}; run this with a Python that has torch and torch-mlir (see --help)"
        ) from error
    function, folder = load_function(args.model)
    model = Model(args.model, function(), torch)
    context, module, arguments, lines = export(model, folder, args.name, torch)
    annotate(context, module, arguments, model.output_names)
    text = module.operation.get_asm(enable_debug_info=not args.no_locations)
    if not args.no_locations:
        text = with_argument_locations(text, arguments, lines)
    write_module(args, text, f"torch {torch.__version__.split('+')[0]}")
    state = dict(model.module.state_dict(keep_vars=True))
    values = {n: state[n] for n, _ in arguments[len(model.inputs) :]}
    save_tensors(
        args,
        values,
        dict(zip(model.input_names, model.inputs)),
        save_separately,
    )
