// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the plan stage.

#ifndef TPC_PLAN_PASSES_TD
#define TPC_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def RegatherParametersPass : Pass<"tp-regather-parameters", "::mlir::ModuleOp"> {
  let summary = "Gather parameters again instead of keeping them gathered";
  let description = [{
    A parameter (`tp.param`) that is stored sharded and used whole is gathered
    once and kept until its last use, which is at the end of the backward pass.
    This pass has it gathered again: the uses in the backward pass, and those in
    each loop (there, in each phase), get a `tp.fresh` of their own, and a copy
    of what is computed from the parameter alone between (a use pin, reshapes,
    a cast). So n parameters take 2n all-gathers instead of n.

    `gather-reuse=keep` changes nothing; `regather` does so for all parameters;
    `auto` plans and estimates the peak memory of a rank, and where that is more
    than `memory-budget` gathers parameters again, those of the largest gathered
    copies first, as few as make it fit. If none do, that is an error with the
    least that was reached.

    Requires: what `tp-plan-placements` requires. Comes in front of it.

    ```mlir
    tp.mesh @mesh ["dp" = 4]
    func.func @f(%w: tensor<8x8xf32> {tp.param, tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
        -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      %empty = tensor.empty() : tensor<8x8xf32>
      %0 = linalg.exp ins(%w : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = linalg.tanh {tp.phase = "backward"} ins(%w : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    ```
  }];
  let options = [
    Option<"reuse", "gather-reuse", "std::string", "\"keep\"",
           "keep, regather or auto">,
    Option<"memoryBudget", "memory-budget", "int64_t", "0",
           "With auto: bytes of one rank that the plan must fit">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "As of tp-plan-placements">,
    Option<"targetSpec", "target-spec", "std::string", "\"cpu\"",
           "As of tp-plan-placements">,
    Option<"productWorkspace", "product-workspace", "int64_t", "0",
           "Bytes of memory that a rank with products needs besides">
  ];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

def PlanPlacementsPass : Pass<"tp-plan-placements", "::mlir::ModuleOp"> {
  let summary = "Choose the placement of every value, forward and backward together";
  let description = [{
    Chooses one strategy per operation and one placement per argument and
    result, so that the cost of compute and redistributions over the whole
    function is the least, and proves it: the attribute `tp.plan` of the
    function holds the cost, its lower bound and an estimate of the bytes a rank
    holds at the worst moment. Then sets the placements as
    encodings and inserts a `tp.redistribute` wherever a value is needed in
    another placement than it is made in; consumers that need the same
    placement share it.

    Bodies of `scf.for` and `scf.if` are part of the problem. What a loop
    carries and what a branch gives has one placement, possibly a partial sum;
    what happens inside counts once per iteration; values of outside are moved
    outside.

    Requires: the import stage's normal form, one `tp.mesh`, pins as
    `tp.placement` on arguments and results and `tp.constrain` inside.
    Ensures: every tensor carries a placement; no `tp.constrain` and no
    `tp.fresh` is left.
    Values without a pin are free; arguments and results are never partial
    unless pinned so. Refuses operations without a sharding rule and loops
    without a constant trip count.

    ```mlir
    tp.mesh @mesh ["tp" = 4]
    func.func @f(%x: tensor<8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
        -> (tensor<8xf32> {tp.placement = #tp.placement<@mesh, []>}) {
      return %x : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"objective", "objective", "std::string", "\"time\"",
           "What is minimised: time, bytes (received, then time) or count (of collectives, then bytes)">,
    Option<"targetSpec", "target-spec", "std::string", "\"cpu\"",
           "Machine description: a preset or a JSON file">,
    Option<"alternatives", "alternatives", "bool", "false",
           "Record for every redistribution what the next best plan would cost">,
    Option<"planIn", "plan-in", "std::string", "\"\"",
           "A plan file to follow instead of choosing">,
    Option<"planOut", "plan-out", "std::string", "\"\"",
           "Where to write the plan">,
    Option<"productWorkspace", "product-workspace", "int64_t", "0",
           "Bytes of memory that a rank with products needs besides">
  ];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

def VerifyPlacementsPass : Pass<"tp-verify-placements", "::mlir::ModuleOp"> {
  let summary = "Prove that every operation's placements fit its rule";
  let description = [{
    Checks operation by operation, and axis by axis, that the placements of
    operands and results are one of the strategies of the operation's sharding
    rule: no partial value into an operation that is not linear in it, no
    product of partials, no replicated addend on a partial sum, no reduction
    over a shard whose result is not partial. Reports every offence, with a
    note at both values. Changes nothing.

    ```mlir
    #rows = #tp.placement<@mesh, [tp: S(0)]>
    #map = affine_map<(d0) -> (d0)>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32, #rows>, %init: tensor<4xf32, #rows>) -> tensor<4xf32, #rows> {
      %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
          ins(%x : tensor<4xf32, #rows>) outs(%init : tensor<4xf32, #rows>) {
      ^bb0(%in: f32, %out: f32):
        %1 = math.exp %in : f32
        linalg.yield %1 : f32
      } -> tensor<4xf32, #rows>
      return %0 : tensor<4xf32, #rows>
    }
    ```
  }];
}

#endif // TPC_PLAN_PASSES_TD
