// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that streams and events order all uses of the same memory.
//
// From each unit on, the list is walked once with what comes behind that unit:
// at first its own stream, then the events that are recorded there, then the
// streams that wait for those. A later unit that uses the same memory on a
// stream that does not come behind is a race. The walk ends at the next marker,
// which the compute stream must reach behind everything; a stream that does
// anything behind a marker must have waited for the compute stream first. At
// the start and the end of the function the runtime is in between.
#include "Events.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

namespace tpc::lower {

namespace {

class RaceFinder {
public:
  RaceFinder(const Program &program, const BufferPlan &plan)
      : program(program), runs(findRuns(program)) {
    for (const Action &action : program.actions)
      uses.push_back(getMemoryUses(program, plan, action));
  }

  std::vector<std::string> find();

private:
  void walk(const Run &run, std::optional<unsigned> from);
  bool conflict(const Unit &x, const Unit &y) const;
  Stream streamOf(const Unit &unit) const {
    return program.actions[unit.begin].stream;
  }
  std::string nameOf(const Unit &unit) const {
    return describe(program.actions[unit.begin]);
  }

  const Program &program;
  std::vector<Run> runs;
  /// Per action.
  std::vector<llvm::SmallVector<MemoryUse, 4>> uses;
  /// Of the run that is looked at, per stream.
  std::array<unsigned, kNumStreams> lastUnit;
  std::vector<std::string> races;
};

} // namespace

bool RaceFinder::conflict(const Unit &x, const Unit &y) const {
  for (unsigned mine = x.begin; mine < x.end; ++mine)
    for (unsigned other = y.begin; other < y.end; ++other)
      for (const MemoryUse &use : uses[mine])
        if (llvm::any_of(uses[other], [&](const MemoryUse &theirs) {
              return use.conflictsWith(theirs);
            }))
          return true;
  return false;
}

/// From unit number `from`, or from the start of the run, which uses all memory
/// on the compute stream.
void RaceFinder::walk(const Run &run, std::optional<unsigned> from) {
  std::array<bool, kNumStreams> isBehind = {};
  std::vector<bool> eventIsBehind(program.numEvents, false);
  isBehind[from ? unsigned(streamOf(run.units[*from])) : 0] = true;
  for (unsigned next = from ? *from + 1 : 0; next < run.units.size(); ++next) {
    // Nothing is left that is not behind.
    bool isDone = isBehind[0];
    for (unsigned stream = 1; stream < kNumStreams; ++stream)
      isDone &= isBehind[stream] || lastUnit[stream] < next;
    if (isDone)
      return;
    const Unit &unit = run.units[next];
    const Action &action = program.actions[unit.begin];
    unsigned stream = unsigned(action.stream);
    if (action.kind == Action::Kind::Record)
      eventIsBehind[action.event] = isBehind[stream];
    else if (action.kind == Action::Kind::Wait)
      isBehind[stream] = isBehind[stream] || eventIsBehind[action.event];
    else if (!isBehind[stream] && !from)
      races.push_back(nameOf(unit) +
                      " starts before the compute stream is there");
    else if (!isBehind[stream] && conflict(run.units[*from], unit))
      races.push_back(nameOf(unit) + " uses memory of " +
                      nameOf(run.units[*from]) + " in no order");
  }
  if (!isBehind[0] && !run.isLast(program))
    races.push_back("the compute stream does not wait for " +
                    nameOf(run.units[*from]));
}

std::vector<std::string> RaceFinder::find() {
  for (const Run &run : runs) {
    // Of one stream alone everything is in order.
    if (llvm::all_of(run.units, [&](const Unit &unit) {
          return streamOf(unit) == Stream::Compute;
        }))
      continue;
    lastUnit.fill(0);
    for (auto [number, unit] : llvm::enumerate(run.units))
      lastUnit[unsigned(streamOf(unit))] = number;
    if (!run.isFirst())
      walk(run, std::nullopt);
    for (unsigned unit = 0; unit < run.units.size(); ++unit) {
      Action::Kind kind = program.actions[run.units[unit].begin].kind;
      if (kind != Action::Kind::Record && kind != Action::Kind::Wait)
        walk(run, unit);
    }
  }
  return std::move(races);
}

std::vector<std::string> findRaces(const Program &program,
                                   const BufferPlan &plan) {
  return RaceFinder(program, plan).find();
}

} // namespace tpc::lower
