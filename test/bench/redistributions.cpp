// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A million changes of placement, planned one after the other on one core.
//
//   tpc-bench-redistributions [--pairs N] [--limit SECONDS]
//
// Meshes of one to four axes, tensors of one to four dims, placements with
// every nesting and partials, all at random from a fixed seed: a new mesh every
// thousand pairs, a new shape for each. The limit (60 seconds) is of the same
// run; above it the exit status is 1. Printed too: the longest plan, and how
// many times the lower bound the plans receive, by bytes and by time.

#include "RandomChanges.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

using namespace tpc;
using namespace tpc::test;

namespace {

/// Seconds of this thread, whatever else the machine does.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// How the plans of one objective compare with their lower bounds.
struct Ratio {
  double sum = 0, worst = 1;
  int64_t count = 0;

  void add(const RedistributionPlan &plan) {
    if (plan.lowerBoundBytes == 0)
      return;
    double ratio = double(plan.wireBytes) / double(plan.lowerBoundBytes);
    sum += ratio;
    worst = std::max(worst, ratio);
    ++count;
  }
  void print(const char *name) const {
    std::printf("%s: received bytes over the lower bound, mean %.4f, most "
                "%.4f\n",
                name, count ? sum / double(count) : 1, worst);
  }
};

} // namespace

int main(int argc, char **argv) {
  int64_t pairs = 1000000;
  double limit = 60;
  for (int i = 1; i < argc; ++i) {
    bool hasValue = i + 1 < argc;
    if (hasValue && !std::strcmp(argv[i], "--pairs")) {
      pairs = std::atoll(argv[++i]);
    } else if (hasValue && !std::strcmp(argv[i], "--limit")) {
      limit = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--pairs N] [--limit SECONDS]\n",
                   argv[0]);
      return 2;
    }
  }

  RandomChanges changes(1);
  const Objective objectives[] = {Objective::Time, Objective::Bytes,
                                  Objective::Count};
  Ratio byObjective[3];
  double planning = 0, longest = 0;
  std::string longestChange;
  constexpr int64_t pairsPerMesh = 1000;
  for (int64_t done = 0; done < pairs;) {
    Mesh mesh = changes.mesh();
    size_t turn = done / pairsPerMesh % 3;
    Redistributor redistributor(mesh, *MachineDescription::preset("h100"),
                                objectives[turn]);
    for (int64_t i = 0; i < pairsPerMesh && done < pairs; ++i, ++done) {
      RandomChanges::Change change = changes.change(mesh);
      double start = now();
      const RedistributionPlan *plan =
          redistributor.plan(change.shape, 4, change.from, change.to);
      double seconds = now() - start;
      planning += seconds;
      if (!plan) {
        std::printf("no plan for %s\n", change.str(mesh).c_str());
        return 1;
      }
      if (!change.from.hasPartial())
        byObjective[turn].add(*plan);
      if (seconds > longest) {
        longest = seconds;
        longestChange = change.str(mesh);
      }
    }
  }
  std::printf("%lld redistributions planned in %.2f s, %.2f us each; limit "
              "%.0f s\n",
              static_cast<long long>(pairs), planning, planning / pairs * 1e6,
              limit);
  std::printf("longest: %.2f ms, %s\n", longest * 1e3, longestChange.c_str());
  for (size_t i = 0; i < 3; ++i)
    byObjective[i].print(stringify(objectives[i]).str().c_str());
  return planning <= limit ? 0 : 1;
}
