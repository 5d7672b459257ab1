// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides, for each collective, on which stream it runs and where it is
// enqueued, so that computing goes on meanwhile.
//
// What reduces (gradients, a loss) is enqueued as soon as its inputs are there,
// on the reduce stream, when something is computed before its result is needed.
// What gathers is enqueued ahead of its use, on the gather stream, but one use
// ahead only: right before the first use of what was gathered for the use
// before, so that no more than the parameters of one more block are in memory.
// A collective whose result is needed at once stays where it is, on the compute
// stream; so do local steps.
//
// A collective only ever moves forward to an earlier place, past actions that
// touch none of its buffers, within the actions between two markers; all ranks
// run the same program, so their order of collectives stays the same.
#include "Streams.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpc::lower {

namespace {

class RunScheduler {
public:
  RunScheduler(Program &program, const Run &run)
      : actions(program.actions), run(run), steps(run.units.size()),
        uses(program.buffers.size()) {}

  /// The actions of the run in their new order.
  std::vector<Action> schedule();

private:
  /// What is known of a unit; of all but collectives, only `computes`.
  struct Step {
    bool isCollective = false, reduces = false, computes = false;
    Stream stream = Stream::Compute;
    /// Moves to before this unit; its own number if it stays.
    unsigned slot = 0;
    /// The first unit that needs what it gives or overwrites what it takes. Of
    /// a chain of collectives of one sort: of the whole chain.
    unsigned need = 0;
  };
  struct Use {
    unsigned unit;
    bool writes;
  };

  Action &collective(unsigned unit) const {
    return actions[run.units[unit].begin];
  }
  void describe(unsigned unit);
  template <typename Function>
  void forEachConflict(unsigned unit, Function conflict) const;
  unsigned findNeed(unsigned unit) const;
  unsigned findReady(unsigned unit) const;
  bool isComputing(unsigned begin, unsigned end) const {
    return computeBefore[begin] < computeBefore[end];
  }
  void place(unsigned unit);
  void holdBuffers();

  std::vector<Action> &actions;
  const Run &run;
  std::vector<Step> steps;
  /// Per buffer, in order.
  std::vector<SmallVector<Use, 4>> uses;
  /// Per unit: how many before it compute something.
  std::vector<unsigned> computeBefore;
  /// What gathers so far have been needed by.
  SmallVector<unsigned> gatherNeeds;
};

} // namespace

void RunScheduler::describe(unsigned unit) {
  Step &step = steps[unit];
  step.slot = unit;
  for (const Action &action :
       ArrayRef(actions).slice(run.units[unit].begin,
                               run.units[unit].end - run.units[unit].begin)) {
    for (BufferId buffer : action.reads)
      uses[buffer].push_back({unit, false});
    for (BufferId buffer : action.writes)
      uses[buffer].push_back({unit, true});
    step.computes |=
        action.kind == Action::Kind::Matmul ||
        action.kind == Action::Kind::Attention ||
        (action.kind == Action::Kind::Loops && action.nest.points() > 0);
  }
  if (collective(unit).kind != Action::Kind::Collective)
    return;
  auto op = cast<tp::CollectiveOpInterface>(collective(unit).op);
  StepKind kind = op.getStepKind();
  step.isCollective = !isLocal(kind);
  step.reduces = kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
}

/// Calls `conflict` with each other unit that must stay on its side of the
/// collective.
template <typename Function>
void RunScheduler::forEachConflict(unsigned unit, Function conflict) const {
  const Action &action = collective(unit);
  for (BufferId buffer : action.reads)
    for (const Use &use : uses[buffer])
      if (use.writes && use.unit != unit)
        conflict(use.unit);
  for (BufferId buffer : action.writes)
    for (const Use &use : uses[buffer])
      if (use.unit != unit)
        conflict(use.unit);
}

unsigned RunScheduler::findNeed(unsigned unit) const {
  unsigned need = run.units.size();
  forEachConflict(unit, [&](unsigned other) {
    if (other < unit)
      return;
    bool continues = steps[other].isCollective &&
                     steps[other].reduces == steps[unit].reduces;
    need = std::min(need, continues ? steps[other].need : other);
  });
  return need;
}

unsigned RunScheduler::findReady(unsigned unit) const {
  unsigned ready = 0;
  forEachConflict(unit, [&](unsigned other) {
    if (other > unit)
      return;
    bool moves = steps[other].isCollective && steps[other].slot != other;
    ready = std::max(ready, moves ? steps[other].slot : other + 1);
  });
  return ready;
}

void RunScheduler::place(unsigned unit) {
  Step &step = steps[unit];
  unsigned slot = unit, ready = findReady(unit);
  if (step.reduces) {
    slot = ready;
  } else if (ready == 0 || isComputing(ready, unit)) {
    unsigned gate = 0;
    for (unsigned need : gatherNeeds)
      if (need < step.need)
        gate = std::max(gate, need);
    gatherNeeds.push_back(step.need);
    slot = std::min(unit, std::max(ready, gate));
  }
  if (!isComputing(slot, step.need))
    return;
  step.slot = slot;
  step.stream = step.reduces ? Stream::Reduce : Stream::Gather;
}

/// While a collective of another stream runs, its buffers are not given to
/// others: until what needs it comes. A reduction may be needed late; the next
/// one ends it, so that no more than the gradients of one more block are kept.
void RunScheduler::holdBuffers() {
  SmallVector<unsigned> reduceSlots;
  for (const Step &step : steps)
    if (step.stream == Stream::Reduce)
      reduceSlots.push_back(step.slot);
  llvm::sort(reduceSlots);
  for (auto [unit, step] : llvm::enumerate(steps)) {
    if (step.stream == Stream::Compute)
      continue;
    unsigned end = step.need;
    if (step.stream == Stream::Reduce)
      if (auto next = llvm::upper_bound(reduceSlots, step.slot);
          next != reduceSlots.end())
        end = std::min(end, *next);
    // What has moved away is no place any more.
    while (end > step.slot && steps[end - 1].slot != end - 1)
      --end;
    if (end <= step.slot)
      continue;
    Action &last = actions[run.units[end - 1].end - 1];
    const Action &action = collective(unit);
    last.held.append(action.reads.begin(), action.reads.end());
    last.held.append(action.writes.begin(), action.writes.end());
  }
}

std::vector<Action> RunScheduler::schedule() {
  unsigned count = run.units.size();
  computeBefore.push_back(0);
  for (unsigned unit = 0; unit < count; ++unit) {
    describe(unit);
    computeBefore.push_back(computeBefore.back() + steps[unit].computes);
  }
  for (unsigned unit = count; unit-- > 0;)
    if (steps[unit].isCollective)
      steps[unit].need = findNeed(unit);
  for (unsigned unit = 0; unit < count; ++unit)
    if (steps[unit].isCollective)
      place(unit);
  holdBuffers();

  std::vector<SmallVector<unsigned, 1>> movedTo(count);
  for (unsigned unit = 0; unit < count; ++unit)
    if (steps[unit].slot != unit)
      movedTo[steps[unit].slot].push_back(unit);
  std::vector<Action> ordered;
  auto take = [&](unsigned action) {
    ordered.push_back(std::move(actions[action]));
  };
  for (unsigned unit = 0; unit < count; ++unit) {
    for (unsigned moved : movedTo[unit]) {
      collective(moved).stream = steps[moved].stream;
      take(run.units[moved].begin);
    }
    // Host arithmetic behind a collective stays.
    bool isMoved = steps[unit].slot != unit;
    if (!isMoved)
      collective(unit).stream = steps[unit].stream;
    for (unsigned action = run.units[unit].begin + isMoved;
         action < run.units[unit].end; ++action)
      take(action);
  }
  return ordered;
}

/// Numbers the groups in their new order. What a collective has left behind, or
/// has come between, is apart.
static void numberGroups(std::vector<Action> &actions) {
  unsigned number = 0;
  std::optional<unsigned> last;
  for (Action &action : actions) {
    bool continues = last == action.group &&
                     action.kind != Action::Kind::Collective &&
                     !action.isMarker();
    last = action.group;
    action.group = continues ? number : ++number;
  }
}

void chooseStreams(Program &program) {
  std::vector<Action> ordered;
  for (const Run &run : findRuns(program)) {
    RunScheduler scheduler(program, run);
    llvm::append_range(ordered, scheduler.schedule());
    if (run.end < program.actions.size())
      ordered.push_back(std::move(program.actions[run.end]));
  }
  numberGroups(ordered);
  program.actions = std::move(ordered);
}

} // namespace tpc::lower
