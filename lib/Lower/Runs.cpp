// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the actions of a program at its markers, and what is between into units.
#include "Program.h"

namespace tpc::lower {

std::vector<Run> findRuns(const Program &program) {
  const std::vector<Action> &actions = program.actions;
  std::vector<Run> runs;
  for (unsigned begin = 0, count = actions.size(); begin <= count;) {
    Run run{begin, begin, {}};
    while (run.end < count && !actions[run.end].isMarker()) {
      Unit unit{run.end, run.end + 1};
      while (unit.end < count && !actions[unit.end].isMarker() &&
             actions[unit.end].group == actions[unit.begin].group)
        ++unit.end;
      run.units.push_back(unit);
      run.end = unit.end;
    }
    begin = run.end + 1;
    runs.push_back(std::move(run));
  }
  return runs;
}

} // namespace tpc::lower
