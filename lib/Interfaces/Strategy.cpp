// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which placements of an operation's tensors its sharding rule allows.

#include "tpc/Interfaces/Strategy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace tpc;

using AxisChoice = Strategy::AxisChoice;

/// True where `factor` is a minor part of some dim: chunks of such a dim are
/// not chunks of the factor.
static bool isMinor(const ShardingRule &rule, unsigned factor) {
  auto inTensor = [&](const ShardingRule::Tensor &tensor) {
    return any_of(tensor, [&](const ShardingRule::Dim &dim) {
      for (unsigned part : dim) {
        if (part == factor)
          break;
        if (rule.factors[part].size != 1 && is_contained(dim, factor))
          return true;
      }
      return false;
    });
  };
  return any_of(rule.operands, inTensor) || any_of(rule.results, inTensor);
}

/// True where `factor` is the major part of a dim of several factors: its
/// shards must be even to be chunks of the dim.
static bool isCompound(const ShardingRule &rule, unsigned factor) {
  auto inTensor = [&](const ShardingRule::Tensor &tensor) {
    return any_of(tensor, [&](const ShardingRule::Dim &dim) {
      return is_contained(dim, factor) && any_of(dim, [&](unsigned part) {
               return part != factor && rule.factors[part].size != 1;
             });
    });
  };
  return any_of(rule.operands, inTensor) || any_of(rule.results, inTensor);
}

/// The shards and sizes of one assignment, tensor by tensor.
namespace {
class StrategyBuilder {
public:
  StrategyBuilder(const ShardingRule &rule, const Mesh &mesh)
      : rule(rule), mesh(mesh) {
    for (unsigned f = 0; f < rule.factors.size(); ++f) {
      minor.push_back(isMinor(rule, f));
      compound.push_back(isCompound(rule, f));
    }
  }

  bool mayShard(unsigned factor, int64_t minSize) const {
    return rule.factors[factor].shardable && !minor[factor] &&
           rule.factors[factor].size >= minSize;
  }

  /// The strategy with `choices` per axis, axes nested in `order`, without its
  /// own steps; nothing when it is not legal.
  std::optional<Strategy> build(ArrayRef<AxisChoice> choices,
                                ArrayRef<unsigned> order) const {
    Strategy strategy;
    strategy.axes.assign(choices.begin(), choices.end());
    std::optional<Reduction> partialKind;
    SmallVector<int64_t> parts(rule.factors.size(), 1);
    for (unsigned axis : order) {
      const AxisChoice &choice = choices[axis];
      std::optional<Reduction> kind;
      if (choice.kind == AxisChoice::Kind::Factor) {
        parts[choice.index] *= mesh.size(axis);
        kind = rule.factors[choice.index].reduction;
      } else if (choice.kind == AxisChoice::Kind::Linear) {
        kind = Reduction::Sum;
      } else if (choice.kind == AxisChoice::Kind::Move) {
        const ShardingRule::Move &move = rule.moves[choice.index];
        if (move.partial)
          kind = Reduction::Sum;
        if (move.size > 0)
          strategy.share *=
              double(ceilDiv(move.size, mesh.size(axis))) / double(move.size);
      }
      if (kind && partialKind && *kind != *partialKind)
        return std::nullopt;
      if (kind)
        partialKind = kind;
    }
    for (auto [factor, count] : enumerate(parts)) {
      int64_t size = rule.factors[factor].size;
      if (count == 1)
        continue;
      if (compound[factor] && size % count != 0)
        return std::nullopt;
      if (size > 0)
        strategy.share *= double(ceilDiv(size, count)) / double(size);
    }
    for (auto [index, tensor] : enumerate(rule.results)) {
      auto moved = [&](const ShardingRule::Move &move) {
        return move.results[index];
      };
      strategy.results.push_back(place(tensor, choices, order, true, moved));
    }
    for (auto [index, tensor] : enumerate(rule.operands)) {
      auto moved = [&](const ShardingRule::Move &move) {
        return move.operands[index];
      };
      if (rule.roles[index] == ShardingRule::Role::Input) {
        strategy.operands.push_back(
            place(tensor, choices, order, false, moved));
        for (unsigned axis : order)
          if (choices[axis].kind == AxisChoice::Kind::Linear &&
              is_contained(rule.linear[choices[axis].index], index))
            strategy.operands.back() = strategy.operands.back().with(
                Placement::Entry::partial(axis, Reduction::Sum));
        continue;
      }
      // Destinations are placed like the results they are tied to.
      strategy.operands.push_back(place(tensor, choices, order, true, moved));
    }
    return strategy;
  }

  /// Adds what the operation exchanges itself. False when it cannot be done.
  bool addOwnSteps(Strategy &strategy) const {
    if (!rule.ownSteps)
      return true;
    std::optional<ShardingRule::OwnSteps> steps =
        rule.ownSteps(mesh, strategy.operands, strategy.results);
    if (steps)
      strategy.ownSteps = std::move(*steps);
    return steps.has_value();
  }

private:
  static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

  /// `destination`: partial on axes that shard a reduction or pass a sum.
  /// `moved`: the dim of the tensor that a move shards.
  Placement place(const ShardingRule::Tensor &tensor,
                  ArrayRef<AxisChoice> choices, ArrayRef<unsigned> order,
                  bool destination,
                  function_ref<int(const ShardingRule::Move &)> moved) const {
    SmallVector<Placement::Entry> entries;
    for (unsigned axis : order) {
      const AxisChoice &choice = choices[axis];
      if (choice.kind == AxisChoice::Kind::Replicate)
        continue;
      if (choice.kind == AxisChoice::Kind::Linear) {
        if (destination)
          entries.push_back(Placement::Entry::partial(axis, Reduction::Sum));
        continue;
      }
      if (choice.kind == AxisChoice::Kind::Move) {
        const ShardingRule::Move &move = rule.moves[choice.index];
        if (int dim = moved(move); dim >= 0)
          entries.push_back(Placement::Entry::shard(axis, dim));
        else if (destination && move.partial)
          entries.push_back(Placement::Entry::partial(axis, Reduction::Sum));
        continue;
      }
      const ShardingRule::Factor &factor = rule.factors[choice.index];
      for (auto [dim, parts] : enumerate(tensor))
        if (is_contained(parts, choice.index))
          entries.push_back(Placement::Entry::shard(axis, dim));
      if (destination && factor.reduction)
        entries.push_back(Placement::Entry::partial(axis, *factor.reduction));
    }
    return Placement(entries);
  }

  const ShardingRule &rule;
  const Mesh &mesh;
  SmallVector<bool> minor, compound;
};
} // namespace

SmallVector<Strategy, 0> tpc::enumerateStrategies(const ShardingRule &rule,
                                                  const Mesh &mesh,
                                                  AxisOrders orders,
                                                  int64_t minFactorSize) {
  StrategyBuilder builder(rule, mesh);
  SmallVector<AxisChoice> perAxis = {{AxisChoice::Kind::Replicate, 0}};
  for (unsigned f = 0; f < rule.factors.size(); ++f)
    if (builder.mayShard(f, minFactorSize))
      perAxis.push_back({AxisChoice::Kind::Factor, f});
  for (unsigned set = 0; set < rule.linear.size(); ++set)
    perAxis.push_back({AxisChoice::Kind::Linear, set});
  for (auto [number, move] : enumerate(rule.moves))
    if (move.size >= minFactorSize)
      perAxis.push_back({AxisChoice::Kind::Move, unsigned(number)});

  SmallVector<Strategy, 0> result;
  std::map<std::pair<std::vector<Placement>, std::vector<Placement>>, size_t>
      seen;
  SmallVector<AxisChoice> choices(mesh.numAxes(), perAxis[0]);
  SmallVector<unsigned> digits(mesh.numAxes(), 0);
  while (true) {
    for (unsigned axis = 0; axis < mesh.numAxes(); ++axis)
      choices[axis] = perAxis[digits[axis]];
    for (ArrayRef<unsigned> order : orders) {
      std::optional<Strategy> strategy = builder.build(choices, order);
      if (!strategy)
        continue;
      auto key =
          std::make_pair(std::vector<Placement>(strategy->operands.begin(),
                                                strategy->operands.end()),
                         std::vector<Placement>(strategy->results.begin(),
                                                strategy->results.end()));
      if (!builder.addOwnSteps(*strategy))
        continue;
      auto [it, inserted] = seen.try_emplace(key, result.size());
      if (inserted)
        result.push_back(std::move(*strategy));
      else if (strategy->share < result[it->second].share)
        result[it->second] = std::move(*strategy);
    }
    // Along an axis of one rank there is nothing to choose.
    auto numChoices = [&](unsigned axis) {
      return mesh.size(axis) == 1 ? 1 : perAxis.size();
    };
    unsigned axis = 0;
    while (axis < mesh.numAxes() && ++digits[axis] == numChoices(axis))
      digits[axis++] = 0;
    if (axis == mesh.numAxes())
      break;
  }
  return result;
}

/// "S(0)", "P(sum)" or "R".
static std::string describe(const Placement &placement, unsigned axis) {
  const Placement::Entry *entry = placement.find(axis);
  if (!entry)
    return "R";
  if (entry->isShard())
    return "S(" + utostr(entry->dim) + ")";
  return "P(" + stringify(entry->reduction).str() + ")";
}

std::optional<PlacementMismatch>
tpc::findMismatch(const ShardingRule &rule, const Mesh &mesh,
                  ArrayRef<Placement> operands, ArrayRef<Placement> results) {
  StrategyBuilder builder(rule, mesh);
  unsigned numOperands = rule.operands.size();
  auto placementOf = [&](unsigned tensor) -> const Placement & {
    return tensor < numOperands ? operands[tensor]
                                : results[tensor - numOperands];
  };
  auto tensorOf = [&](unsigned tensor) -> const ShardingRule::Tensor & {
    return tensor < numOperands ? rule.operands[tensor]
                                : rule.results[tensor - numOperands];
  };
  unsigned numTensors = numOperands + rule.results.size();

  // What the operation may be doing on each axis, looked at alone.
  SmallVector<SmallVector<AxisChoice, 1>> choices;
  SmallVector<unsigned> identity;
  for (unsigned axis = 0; axis < mesh.numAxes(); ++axis) {
    identity.push_back(axis);
    // Candidates for this axis alone, the other axes replicated.
    auto agrees = [&](const AxisChoice &choice, int &badTensor) {
      SmallVector<AxisChoice> alone(mesh.numAxes(),
                                    {AxisChoice::Kind::Replicate, 0});
      alone[axis] = choice;
      SmallVector<unsigned> order = {axis};
      std::optional<Strategy> strategy = builder.build(alone, order);
      if (!strategy)
        return false;
      for (unsigned tensor = 0; tensor < numTensors; ++tensor) {
        const Placement &want = tensor < numOperands
                                    ? strategy->operands[tensor]
                                    : strategy->results[tensor - numOperands];
        if (tensor < numOperands && tensorOf(tensor).empty() &&
            placementOf(tensor).isReplicated(axis))
          continue;
        if (describe(want, axis) != describe(placementOf(tensor), axis)) {
          badTensor = tensor;
          return false;
        }
      }
      return true;
    };
    SmallVector<AxisChoice, 1> &found = choices.emplace_back();
    int bad = -1, ignored = -1;
    auto consider = [&](AxisChoice::Kind kind, unsigned index, int &badTensor) {
      if (agrees({kind, index}, badTensor))
        found.push_back({kind, index});
    };
    consider(AxisChoice::Kind::Replicate, 0, bad);
    for (unsigned f = 0; f < rule.factors.size(); ++f)
      if (builder.mayShard(f, 0))
        consider(AxisChoice::Kind::Factor, f, ignored);
    for (unsigned set = 0; set < rule.linear.size(); ++set)
      consider(AxisChoice::Kind::Linear, set, ignored);
    for (unsigned move = 0; move < rule.moves.size(); ++move)
      consider(AxisChoice::Kind::Move, move, ignored);
    if (!found.empty())
      continue;

    // Say which two tensors cannot be reconciled.
    PlacementMismatch mismatch;
    mismatch.axis = axis;
    std::string name = ("axis \"" + mesh.name(axis) + "\"").str();
    int partial = -1, partialResult = -1, shard = -1;
    for (unsigned tensor = 0; tensor < numTensors; ++tensor) {
      const Placement::Entry *entry = placementOf(tensor).find(axis);
      if (!entry)
        continue;
      bool isRead = tensor < numOperands &&
                    rule.roles[tensor] != ShardingRule::Role::Shape;
      if (entry->isPartial() && isRead && partial < 0)
        partial = tensor;
      if (entry->isPartial() && tensor >= numOperands && partialResult < 0)
        partialResult = tensor;
      if (entry->isShard() && shard < 0)
        shard = tensor;
    }
    if (partial >= 0) {
      auto inSomeSet = any_of(rule.linear, [&](ArrayRef<unsigned> set) {
        return is_contained(set, unsigned(partial));
      });
      mismatch.first = partial;
      for (unsigned tensor = 0; tensor < numTensors; ++tensor)
        if (tensor != unsigned(partial) && mismatch.second < 0 &&
            describe(placementOf(tensor), axis) !=
                describe(placementOf(partial), axis))
          mismatch.second = tensor;
      if (!inSomeSet) {
        mismatch.reason = name + ": the operation is not linear in operand #" +
                          itostr(partial) + ", which is " +
                          describe(placementOf(partial), axis);
        return mismatch;
      }
      SmallVector<std::string> states;
      for (unsigned tensor = 0; tensor < numTensors; ++tensor)
        states.push_back(describe(placementOf(tensor), axis));
      mismatch.reason = name + ": operand #" + itostr(partial) + " is " +
                        describe(placementOf(partial), axis) +
                        ", expected the result to be partial and the operands "
                        "that are not jointly linear with it replicated, got " +
                        join(states, ", ");
      return mismatch;
    }
    mismatch.first = partialResult >= 0 ? partialResult
                     : shard >= 0       ? shard
                                        : bad;
    for (unsigned tensor = 0; tensor < numTensors; ++tensor)
      if (int(tensor) != mismatch.first && mismatch.second < 0 &&
          describe(placementOf(tensor), axis) !=
              describe(placementOf(mismatch.first), axis))
        mismatch.second = tensor;
    SmallVector<std::string> states;
    for (unsigned tensor = 0; tensor < numTensors; ++tensor)
      states.push_back(describe(placementOf(tensor), axis));
    mismatch.reason =
        partialResult >= 0
            ? name + ": result #" + itostr(partialResult - numOperands) +
                  " is " + describe(placementOf(partialResult), axis) +
                  ", expected a partial operand or a reduction over a shard, "
                  "got " +
                  join(states, ", ")
            : name +
                  ": expected placements that share one dim of the operation, "
                  "got " +
                  join(states, ", ");
    return mismatch;
  }

  // All axes agree one by one; now together, with the nesting as written.
  auto isPlaced = [&](ArrayRef<AxisChoice> choice, ArrayRef<unsigned> order) {
    std::optional<Strategy> strategy = builder.build(choice, order);
    if (!strategy)
      return false;
    for (unsigned tensor = 0; tensor < numTensors; ++tensor) {
      const Placement &want = tensor < numOperands
                                  ? strategy->operands[tensor]
                                  : strategy->results[tensor - numOperands];
      if (want != placementOf(tensor) &&
          !(tensor < numOperands && tensorOf(tensor).empty()))
        return false;
    }
    return builder.addOwnSteps(*strategy);
  };
  SmallVector<unsigned> digits(mesh.numAxes(), 0);
  while (true) {
    SmallVector<AxisChoice> choice;
    for (auto [axis, digit] : enumerate(digits))
      choice.push_back(choices[axis][digit]);
    SmallVector<unsigned> order = identity;
    do {
      if (isPlaced(choice, order))
        return std::nullopt;
    } while (std::next_permutation(order.begin(), order.end()));
    unsigned axis = 0;
    while (axis < mesh.numAxes() && ++digits[axis] == choices[axis].size())
      digits[axis++] = 0;
    if (axis == mesh.numAxes())
      break;
  }
  PlacementMismatch mismatch;
  mismatch.axis = 0;
  mismatch.first = 0;
  mismatch.reason = "expected one nesting of the axes in all operands and "
                    "results, and even shards of reshaped dims";
  return mismatch;
}
