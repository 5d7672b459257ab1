// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compute and steps cost: a machine description and exact integer costs.
#ifndef TPC_SUPPORT_COSTMODEL_H
#define TPC_SUPPORT_COSTMODEL_H

#include "tpc/Support/Transition.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <limits>
#include <map>

namespace tpc {

/// Element types as far as peak rates differ.
enum class ComputeClass : uint8_t { F64, F32, F16, BF16, Int };
constexpr unsigned numComputeClasses = 5;

/// `f64`, `f32`, `f16`, `bf16`, `int`.
llvm::StringRef stringify(ComputeClass type);

/// What plans are chosen by.
enum class Objective : uint8_t { Time, Bytes, Count };

/// `time`, `bytes`, `count`.
llvm::StringRef stringify(Objective objective);
std::optional<Objective> parseObjective(llvm::StringRef text);

/// The machine a program is planned for. Rates are what large operations
/// reach, not vendor peaks of special cases (sparsity).
struct MachineDescription {
  struct Link {
    /// Seconds from the start of a collective to its first byte.
    double latency = 0;
    /// Bytes per second that one rank receives.
    double bandwidth = 0;
  };

  std::string name;
  /// Floating-point (or integer) operations per second of one rank.
  std::array<double, numComputeClasses> peakFlops{};
  /// Bytes per second between one rank and its memory.
  double memoryBandwidth = 0;
  /// Seconds it takes to start one kernel.
  double launchOverhead = 0;
  /// The link of mesh axes that `axisLinks` does not name.
  Link defaultLink;
  /// By name of the mesh axis.
  std::map<std::string, Link> axisLinks;

  /// One of `presetNames()`, or nothing.
  static std::optional<MachineDescription> preset(llvm::StringRef name);
  static llvm::ArrayRef<llvm::StringRef> presetNames();

  /// Reads the JSON that `toJson` writes. Every field but `axes` is needed; an
  /// unknown field is an error. Messages begin with `source`.
  static llvm::Expected<MachineDescription> parse(llvm::StringRef text,
                                                  llvm::StringRef source);
  /// A preset by name, else a JSON file: what `--target-spec` takes.
  static llvm::Expected<MachineDescription> load(llvm::StringRef presetOrPath);
  llvm::json::Value toJson() const;

  /// The link between ranks that differ along `axes`: of several axes the
  /// largest latency and the smallest bandwidth.
  Link link(const Mesh &mesh, llvm::ArrayRef<unsigned> axes) const;
  /// True when all axes of `mesh` have the same link.
  bool isUniform(const Mesh &mesh) const;

  /// max(flops / peak, bytes / memory bandwidth) + launch overhead.
  double computeSeconds(double flops, int64_t bytesTouched,
                        ComputeClass type) const;
  /// `starts` latencies and received bytes over bandwidth.
  double transferSeconds(Link link, int64_t starts, int64_t wireBytes) const {
    return double(starts) * link.latency + double(wireBytes) / link.bandwidth;
  }
  /// A kernel that reads and writes `bytes` of the rank's own memory.
  double localSeconds(int64_t bytes) const {
    return launchOverhead + double(bytes) / memoryBandwidth;
  }
  /// The transfer of a collective (a send_recv pays the latency for each peer);
  /// of local steps, and in groups of one rank, the copy.
  double stepSeconds(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                     int64_t elementBytes, const Step &step) const;
};

/// An amount of what the objective counts: compared from the first number to
/// the last. Integers, so that sums do not depend on their order and ties are
/// ties on every machine.
struct Cost {
  std::array<int64_t, 3> values{};

  static Cost infinity() {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    return {{most, most, most}};
  }
  bool isInfinite() const { return *this == infinity(); }
  Cost operator+(const Cost &o) const;
  Cost &operator+=(const Cost &o) { return *this = *this + o; }
  /// The cost of doing it `times` times, of a loop. Infinite costs stay so.
  Cost operator*(int64_t times) const;
  bool operator<(const Cost &o) const { return values < o.values; }
  bool operator==(const Cost &o) const { return values == o.values; }
  bool operator!=(const Cost &o) const { return values != o.values; }
};

/// Seconds, received bytes and number of collectives as the objective counts
/// them: time (ps, 0, 0), bytes (bytes, ps, 0), count (collectives, bytes, ps).
Cost makeCost(Objective objective, double seconds, int64_t wireBytes,
              int64_t collectives);
/// The cost of compute: time only.
inline Cost makeComputeCost(Objective objective, double seconds) {
  return makeCost(objective, seconds, 0, 0);
}
/// The cost of one step.
Cost stepCost(const MachineDescription &machine, Objective objective,
              const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
              int64_t elementBytes, const Step &step);

} // namespace tpc

#endif // TPC_SUPPORT_COSTMODEL_H
