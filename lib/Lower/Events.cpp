// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the fewest records and waits that order what streams do to the same
// memory.
//
// Each stream keeps a clock: how far it knows each stream to be, itself and the
// others. A unit needs the last unit of every other stream that uses its
// memory; where the clock does not reach that one, the stream waits for it and
// takes over its clock, and what that implies needs no wait of its own. An
// event is recorded right behind the unit that is waited for, and waited for
// right in front of the unit that needs it.
//
// Runs are independent of each other: all that happened before counts as one
// use of all memory on the compute stream, and so does what comes behind. That
// holds for any way through loops and branches. A call begins and ends with no
// work on any stream (the runtime sees to that, and so does a graph): the first
// run has nothing before it, and the last nothing behind.
#include "Events.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <array>
#include <map>

using namespace mlir;

namespace tpc::lower {

SmallVector<MemoryUse, 4> getMemoryUses(const Program &program,
                                        const BufferPlan &plan,
                                        const Action &action) {
  SmallVector<MemoryUse, 4> uses;
  auto add = [&](BufferId buffer, bool writes) {
    const Storage &storage = plan.storage[buffer];
    int64_t bytes = program.buffers[buffer].bytes;
    if (storage.kind == Storage::Kind::Workspace)
      uses.push_back(
          {storage.kind, 0, storage.number, storage.number + bytes, writes});
    else if (storage.kind == Storage::Kind::Result)
      uses.push_back({storage.kind, storage.number, 0, bytes, writes});
  };
  if (action.kind == Action::Kind::Copy &&
      plan.storage[action.reads[0]] == plan.storage[action.writes[0]])
    return uses;
  for (BufferId buffer : action.reads)
    add(buffer, /*writes=*/false);
  for (BufferId buffer : action.writes)
    add(buffer, /*writes=*/true);
  return uses;
}

namespace {

/// Per stream, how many of its units are known to be done; the start of the run
/// counts as the first one of the compute stream.
using Clock = std::array<unsigned, kNumStreams>;

void join(Clock &clock, const Clock &other) {
  for (unsigned stream = 0; stream < kNumStreams; ++stream)
    clock[stream] = std::max(clock[stream], other[stream]);
}

/// An event of one run: behind which unit it is recorded, and which wait for
/// it. Units are known by the actions at their end and begin.
struct Event {
  Stream stream;
  unsigned record;
  /// In order.
  SmallVector<std::pair<unsigned, Stream>, 2> waits;
};

class EventFinder {
public:
  EventFinder(const Program &program, const BufferPlan &plan, const Run &run)
      : program(program), plan(plan), run(run) {
    if (run.isFirst())
      for (Clock &clock : clocks)
        clock[0] = 1;
  }

  /// By the place of the record.
  std::map<unsigned, Event> find();

private:
  /// A unit, the start or the end of the run.
  struct Task {
    unsigned begin, end;
    Clock clock;
    SmallVector<MemoryUse, 8> uses;
  };

  void visit(Stream stream, Task task, Clock needed);
  Clock findNeeded(Stream stream, const Task &task) const;

  const Program &program;
  const BufferPlan &plan;
  const Run &run;
  std::array<std::vector<Task>, kNumStreams> tasks;
  std::array<Clock, kNumStreams> clocks = {};
  std::map<unsigned, Event> events;
};

} // namespace

/// Per other stream: how much of it must be done before the task.
Clock EventFinder::findNeeded(Stream stream, const Task &task) const {
  Clock needed = {};
  for (unsigned other = 0; other < kNumStreams; ++other) {
    if (Stream(other) == stream)
      continue;
    unsigned known = clocks[unsigned(stream)][other];
    for (unsigned count = tasks[other].size(); count > known; --count) {
      const Task &earlier = tasks[other][count - 1];
      bool conflicts = llvm::any_of(task.uses, [&](const MemoryUse &use) {
        return llvm::any_of(earlier.uses, [&](const MemoryUse &mine) {
          return use.conflictsWith(mine);
        });
      });
      if (conflicts) {
        needed[other] = count;
        break;
      }
    }
  }
  return needed;
}

void EventFinder::visit(Stream stream, Task task, Clock needed) {
  Clock &clock = clocks[unsigned(stream)];
  // Every stream starts behind the start of the run.
  if (stream != Stream::Compute)
    needed[0] = std::max(needed[0], 1u);
  for (unsigned other = 0; other < kNumStreams; ++other) {
    if (needed[other] <= clock[other])
      continue;
    // Another one to be waited for may come behind this one.
    const Task &earlier = tasks[other][needed[other] - 1];
    bool isImplied = false;
    for (unsigned third = 0; third < kNumStreams; ++third)
      isImplied |=
          third != other && needed[third] > clock[third] &&
          tasks[third][needed[third] - 1].clock[other] >= needed[other];
    if (isImplied)
      continue;
    Event &event = events[earlier.end];
    event.stream = Stream(other);
    event.record = earlier.end;
    event.waits.push_back({task.begin, stream});
    join(clock, earlier.clock);
  }
  clock[unsigned(stream)] = tasks[unsigned(stream)].size() + 1;
  task.clock = clock;
  tasks[unsigned(stream)].push_back(std::move(task));
}

std::map<unsigned, Event> EventFinder::find() {
  visit(Stream::Compute, {run.begin, run.begin, {}, {}}, {});
  for (const Unit &unit : run.units) {
    Stream stream = program.actions[unit.begin].stream;
    Task task{unit.begin, unit.end, {}, {}};
    for (unsigned action = unit.begin; action < unit.end; ++action)
      llvm::append_range(task.uses,
                         getMemoryUses(program, plan, program.actions[action]));
    Clock needed = findNeeded(stream, task);
    visit(stream, std::move(task), needed);
  }
  if (run.isLast(program))
    return std::move(events);
  Clock all = {};
  for (unsigned stream = 1; stream < kNumStreams; ++stream)
    all[stream] = tasks[stream].size();
  visit(Stream::Compute, {run.end, run.end, {}, {}}, all);
  return std::move(events);
}

namespace {

/// Numbers events so that one whose last wait has been enqueued is free again.
class EventWriter {
public:
  EventWriter(Program &program, std::vector<Action> &ordered)
      : program(program), ordered(ordered), group(program.actions.size()) {}

  /// Writes the actions of `run` with their events.
  void write(const Run &run, const std::map<unsigned, Event> &events);

private:
  void add(Action::Kind kind, Stream stream, unsigned event, Location loc) {
    Action action(kind, loc);
    action.stream = stream;
    action.event = event;
    // No group of the program has such a number.
    action.group = ++group;
    ordered.push_back(std::move(action));
  }

  Program &program;
  std::vector<Action> &ordered;
  unsigned group;
};

} // namespace

void EventWriter::write(const Run &run,
                        const std::map<unsigned, Event> &events) {
  std::map<unsigned, SmallVector<const Event *, 2>> waits;
  for (const auto &[place, event] : events)
    for (auto [task, stream] : event.waits)
      if (waits[task].empty() || waits[task].back() != &event)
        waits[task].push_back(&event);
  std::map<const Event *, unsigned> numbers;
  llvm::SmallBitVector used;
  Location loc = program.function.getLoc();
  for (unsigned place = run.begin; place <= run.end; ++place) {
    if (place < run.end)
      loc = program.actions[place].loc;
    if (auto event = events.find(place); event != events.end()) {
      int number = used.find_first_unset();
      if (number < 0) {
        number = used.size();
        used.resize(number + 1);
      }
      used.set(number);
      program.numEvents = std::max<unsigned>(program.numEvents, used.size());
      numbers[&event->second] = number;
      add(Action::Kind::Record, event->second.stream, number, loc);
    }
    for (const Event *event : waits[place]) {
      for (auto [task, stream] : event->waits)
        if (task == place)
          add(Action::Kind::Wait, stream, numbers[event], loc);
      if (event->waits.back().first == place)
        used.reset(numbers[event]);
    }
    if (place < run.end)
      ordered.push_back(std::move(program.actions[place]));
  }
}

void addEvents(Program &program, const BufferPlan &plan) {
  std::vector<Action> ordered;
  EventWriter writer(program, ordered);
  for (const Run &run : findRuns(program)) {
    writer.write(run, EventFinder(program, plan, run).find());
    if (run.end < program.actions.size())
      ordered.push_back(std::move(program.actions[run.end]));
  }
  program.actions = std::move(ordered);
}

std::string describe(const Action &action) {
  static const char *const streams[] = {"compute", "gather", "reduce"};
  std::string text = streams[unsigned(action.stream)];
  switch (action.kind) {
  case Action::Kind::Loops:
    return text + " kernel";
  case Action::Kind::Copy:
    return text + " copy";
  case Action::Kind::Matmul:
    return text + " matmul";
  case Action::Kind::Attention:
    return text + " attention";
  case Action::Kind::Collective: {
    auto op = cast<tp::CollectiveOpInterface>(action.op);
    text += " " + stringify(op.getStepKind()).str() + " of ";
    auto value = op->getAttrOfType<StringAttr>(tp::TPDialect::kValue);
    return text + (value ? value.str() : tp::getUserName(op.getInputs()[0]));
  }
  case Action::Kind::Record:
    return "record " + std::to_string(action.event) + " of " + text;
  case Action::Kind::Wait:
    return text + " waits for " + std::to_string(action.event);
  case Action::Kind::Scalar:
  case Action::Kind::Extract:
    return "host " + action.op->getName().getStringRef().str();
  case Action::Kind::LoopBegin:
    return "loop";
  case Action::Kind::LoopEnd:
    return "end of loop";
  case Action::Kind::BranchBegin:
    return "branch";
  case Action::Kind::BranchElse:
    return "else";
  case Action::Kind::BranchEnd:
    return "end of branch";
  }
  llvm_unreachable("all kinds of actions are handled");
}

} // namespace tpc::lower
