// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation must tell the stages: its sharding rule, its adjoint, and
// how it is written on local tensors.

#ifndef TPC_INTERFACES_INTERFACES_TD
#define TPC_INTERFACES_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TPC_ShardingRuleInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::tpc";
  let description = [{
    Called by the plan stage. Attached to upstream operations as an external
    model by `lib/Rules`.
  }];
  let methods = [
    InterfaceMethod<[{
      The factors of the operation; see ShardingRule.h for matmul and a row sum.
      Fails, after an error on the operation, when it cannot be planned (a
      dynamic dim, a body that is not understood).
    }], "::mlir::FailureOr<::tpc::ShardingRule>", "getShardingRule">
  ];
}

def TPC_AdjointInterface : OpInterface<"AdjointOpInterface"> {
  let cppNamespace = "::tpc";
  let description = [{
    Called by the autodiff stage, in reverse order of the program. Attached to
    upstream operations as an external model by `lib/Rules`.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the operation's contribution to the cotangents of its operands.
      `cotangents` has one value per result, null where nothing flows back.
      `needed` says per operand whether its cotangent is wanted. Fills
      `contributions` (one per operand; null where not needed or zero).
      Matmul c = a b: a's is (c's) b^T, b's is a^T (c's). Row sum: the
      cotangent broadcast along the row.
      Fails, after an error on the operation, when it has no derivative.
    }], "::mlir::LogicalResult", "buildAdjoint",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$cotangents,
           "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$contributions)>
  ];
}

def TPC_PartitionInterface : OpInterface<"PartitionOpInterface"> {
  let cppNamespace = "::tpc";
  let description = [{
    Called by the partition stage on placed operations. Attached to upstream
    operations as an external model by `lib/Rules`.
  }];
  let methods = [
    InterfaceMethod<[{
      Writes the operation on local tensors. `operands` are the local operands
      (scalars unchanged); the global types and placements are those of the
      operation itself. Fills `results`. Matmul: the same matmul on local
      tensors, where a contraction dim is sharded unevenly with the padding of
      both operands masked. Row sum of an unevenly sharded row: elements
      behind this rank's chunk are replaced by the neutral element.
    }], "::mlir::LogicalResult", "partition",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$operands,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

def TPC_ExpandInterface : OpInterface<"ExpandOpInterface"> {
  let cppNamespace = "::tpc";
  let description = [{
    Of operations whose sharding rule has moves or own steps: called by the
    redistribute stage on placed operations, to write what they exchange between
    ranks as collectives. Attached to upstream operations as an external model
    by `lib/Rules`.
  }];
  let methods = [
    InterfaceMethod<[{
      Writes the operation as placed operations that exchange nothing
      themselves, and collectives or `tp.redistribute`s, which carry `tp.why`.
      Fills `results`, of the types of the operation's; leaves them empty where
      the operation exchanges nothing under its placements and may stay. Rows
      1.. of a tensor sharded along rows: a `tp.window`.
    }], "::mlir::LogicalResult", "expand",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

#endif // TPC_INTERFACES_INTERFACES_TD
