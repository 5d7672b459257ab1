// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the sharding rule of every operation that has one, one line each:
//
//   linalg.matmul (a,c), (c,b), acc (a,b) -> (a,b); a=4, b=5, c=8 sum; linear
//   {0} {1}; flops 320
//
// Factors are letters. A dim without factor is `_`, the factors of a compound
// dim are joined by `*`, `!` marks a factor that cannot be sharded. A move is
// printed as the dims it shards, as in `move (0,-) -> (0)`.

#include "TestPasses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tpc/Interfaces/Interfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpc::test {

static std::string nameOf(unsigned factor) {
  return factor < 26 ? std::string(1, 'a' + factor)
                     : "f" + std::to_string(factor);
}

static void print(raw_ostream &os, const ShardingRule::Tensor &tensor) {
  os << "(";
  llvm::interleave(
      tensor, os,
      [&](const ShardingRule::Dim &dim) {
        if (dim.empty())
          os << "_";
        llvm::interleave(
            dim, os, [&](unsigned factor) { os << nameOf(factor); }, "*");
      },
      ",");
  os << ")";
}

static void print(raw_ostream &os, const ShardingRule &rule) {
  for (unsigned i = 0, e = rule.operands.size(); i < e; ++i) {
    os << (i ? ", " : "");
    if (rule.roles[i] == ShardingRule::Role::Accumulator)
      os << "acc ";
    if (rule.roles[i] == ShardingRule::Role::Shape)
      os << "shape ";
    print(os, rule.operands[i]);
  }
  os << " -> ";
  llvm::interleaveComma(rule.results, os,
                        [&](const ShardingRule::Tensor &t) { print(os, t); });
  os << ";";
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    os << (i ? ", " : " ") << nameOf(i) << "=" << factor.size
       << (factor.shardable ? "" : "!");
    if (factor.reduction)
      os << " " << stringify(*factor.reduction);
  }
  if (!rule.linear.empty())
    os << "; linear";
  for (ArrayRef<unsigned> group : rule.linear)
    os << " {"
       << llvm::join(llvm::map_range(
                         group, [](unsigned i) { return std::to_string(i); }),
                     ",")
       << "}";
  for (const ShardingRule::Move &move : rule.moves) {
    auto dims = [&](ArrayRef<int> tensors) {
      os << "(";
      llvm::interleave(
          tensors, os,
          [&](int dim) { os << (dim < 0 ? "-" : std::to_string(dim)); }, ",");
      os << ")";
    };
    os << "; move ";
    dims(move.operands);
    os << " -> ";
    dims(move.results);
    os << (move.partial ? " sum" : "");
  }
  os << "; flops " << int64_t(rule.flops) << "\n";
}

namespace {
struct PrintShardingRulesPass
    : PassWrapper<PrintShardingRulesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintShardingRulesPass)

  StringRef getArgument() const final { return "test-print-sharding-rules"; }
  StringRef getDescription() const final {
    return "Print the sharding rules of all operations.";
  }
  void runOnOperation() final {
    getOperation().walk([&](ShardingRuleOpInterface op) {
      FailureOr<ShardingRule> rule = op.getShardingRule();
      if (failed(rule))
        return signalPassFailure();
      llvm::outs() << op->getName() << " ";
      print(llvm::outs(), *rule);
    });
  }
};
} // namespace

void registerPrintShardingRulesPass() {
  PassRegistration<PrintShardingRulesPass>();
}

} // namespace tpc::test
