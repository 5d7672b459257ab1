// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how seconds, bytes and counts become comparable costs.

#include "tpc/Support/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace tpc {

StringRef stringify(ComputeClass type) {
  switch (type) {
  case ComputeClass::F64:
    return "f64";
  case ComputeClass::F32:
    return "f32";
  case ComputeClass::F16:
    return "f16";
  case ComputeClass::BF16:
    return "bf16";
  case ComputeClass::Int:
    return "int";
  }
  llvm_unreachable("covered switch");
}

StringRef stringify(Objective objective) {
  switch (objective) {
  case Objective::Time:
    return "time";
  case Objective::Bytes:
    return "bytes";
  case Objective::Count:
    return "count";
  }
  llvm_unreachable("covered switch");
}

std::optional<Objective> parseObjective(StringRef text) {
  for (Objective objective :
       {Objective::Time, Objective::Bytes, Objective::Count})
    if (stringify(objective) == text)
      return objective;
  return std::nullopt;
}

MachineDescription::Link
MachineDescription::link(const Mesh &mesh, ArrayRef<unsigned> axes) const {
  std::optional<Link> slowest;
  for (unsigned axis : axes) {
    auto named = axisLinks.find(mesh.name(axis).str());
    Link link = named == axisLinks.end() ? defaultLink : named->second;
    if (!slowest)
      slowest = link;
    slowest->latency = std::max(slowest->latency, link.latency);
    slowest->bandwidth = std::min(slowest->bandwidth, link.bandwidth);
  }
  return slowest.value_or(defaultLink);
}

bool MachineDescription::isUniform(const Mesh &mesh) const {
  for (unsigned axis = 1; axis < mesh.numAxes(); ++axis) {
    Link a = link(mesh, {axis - 1}), b = link(mesh, {axis});
    if (a.latency != b.latency || a.bandwidth != b.bandwidth)
      return false;
  }
  return true;
}

double MachineDescription::computeSeconds(double flops, int64_t bytesTouched,
                                          ComputeClass type) const {
  return std::max(flops / peakFlops[unsigned(type)],
                  double(bytesTouched) / memoryBandwidth) +
         launchOverhead;
}

double MachineDescription::stepSeconds(const Mesh &mesh,
                                       ArrayRef<int64_t> shape,
                                       int64_t elementBytes,
                                       const Step &step) const {
  if (!isCollective(mesh, step))
    return localSeconds(stepMemoryBytes(mesh, shape, elementBytes, step));
  return transferSeconds(link(mesh, step.axes), stepStarts(mesh, shape, step),
                         stepBytes(mesh, shape, elementBytes, step).wireBytes);
}

static int64_t addSaturating(int64_t a, int64_t b) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return a > most - b ? most : a + b;
}

Cost Cost::operator+(const Cost &o) const {
  Cost sum;
  for (unsigned index = 0; index < values.size(); ++index)
    sum.values[index] = addSaturating(values[index], o.values[index]);
  return sum;
}

Cost Cost::operator*(int64_t times) const {
  if (isInfinite())
    return *this;
  // What is too much to count is still not what cannot be done.
  constexpr int64_t most = std::numeric_limits<int64_t>::max() - 1;
  Cost product;
  for (unsigned index = 0; index < values.size(); ++index)
    product.values[index] = values[index] > most / std::max<int64_t>(times, 1)
                                ? most
                                : values[index] * times;
  return product;
}

Cost makeCost(Objective objective, double seconds, int64_t wireBytes,
              int64_t collectives) {
  // Longer than a month is as good as never and must not overflow.
  constexpr double picosecondsPerSecond = 1e12, most = 4e18;
  int64_t picoseconds =
      int64_t(std::llround(std::min(seconds * picosecondsPerSecond, most)));
  switch (objective) {
  case Objective::Time:
    return {{picoseconds, 0, 0}};
  case Objective::Bytes:
    return {{wireBytes, picoseconds, 0}};
  case Objective::Count:
    return {{collectives, wireBytes, picoseconds}};
  }
  llvm_unreachable("covered switch");
}

Cost stepCost(const MachineDescription &machine, Objective objective,
              const Mesh &mesh, ArrayRef<int64_t> shape, int64_t elementBytes,
              const Step &step) {
  return makeCost(objective,
                  machine.stepSeconds(mesh, shape, elementBytes, step),
                  stepBytes(mesh, shape, elementBytes, step).wireBytes,
                  isCollective(mesh, step) ? 1 : 0);
}

} // namespace tpc
