// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the actions backwards and keeps which buffers are needed later.
//
// A buffer stops being needed, backwards, at the action that gives it all its
// content: the first one that mentions it, and every copy into it. The text of
// a loop is walked once: at its end everything is needed that an iteration may
// need from before the loop. Of a branch the second part is walked from what is
// needed behind it, and so is the first.
#include "Lifetimes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpc::lower {

namespace {

class LifetimeFinder {
public:
  explicit LifetimeFinder(const Program &program)
      : program(program), first(program.buffers.size(), kNever),
        neededUntil(program.buffers.size(), kNever),
        lifetimes(program.buffers.size()) {}

  std::vector<Lifetime> run();

private:
  static constexpr unsigned kNever = ~0u;

  template <typename Function> void forEachUse(unsigned time, Function use) {
    llvm::for_each(program.actions[time].reads, use);
    llvm::for_each(program.actions[time].writes, use);
    llvm::for_each(program.actions[time].held, use);
  }
  void open(BufferId buffer, unsigned time) {
    if (neededUntil[buffer] == kNever)
      neededUntil[buffer] = time;
  }
  void close(BufferId buffer, unsigned time) {
    if (neededUntil[buffer] != kNever)
      lifetimes[buffer].push_back({time, neededUntil[buffer]});
    neededUntil[buffer] = kNever;
  }
  std::vector<bool> needed() const;
  void visit(unsigned time);

  const Program &program;
  /// Per buffer: the first action that mentions it.
  std::vector<unsigned> first;
  /// Per buffer that is needed: the last action that needs it, before the next
  /// one that overwrites it.
  std::vector<unsigned> neededUntil;
  std::vector<Lifetime> lifetimes;
  /// Per branch around, inner last: what is needed behind it while the second
  /// part is walked, then what the second part needs.
  std::vector<std::vector<bool>> branches;
  /// Per LoopEnd, by number of the action: the LoopBegin.
  std::vector<unsigned> loopBegin;
};

} // namespace

std::vector<bool> LifetimeFinder::needed() const {
  std::vector<bool> result;
  for (unsigned until : neededUntil)
    result.push_back(until != kNever);
  return result;
}

void LifetimeFinder::visit(unsigned time) {
  const Action &action = program.actions[time];
  switch (action.kind) {
  case Action::Kind::LoopEnd:
    for (unsigned inner = loopBegin[time]; inner < time; ++inner)
      forEachUse(inner, [&](BufferId buffer) {
        if (first[buffer] < loopBegin[time])
          open(buffer, time);
      });
    break;
  case Action::Kind::BranchEnd:
    branches.push_back(needed());
    break;
  case Action::Kind::BranchElse: {
    std::vector<bool> atElse = needed();
    for (BufferId buffer = 0; buffer < atElse.size(); ++buffer) {
      // What is needed behind the branch is so at the end of the first part,
      // the action before this one.
      if (branches.back()[buffer])
        open(buffer, time - 1);
      else
        close(buffer, time);
    }
    branches.back() = std::move(atElse);
    break;
  }
  case Action::Kind::BranchBegin:
    for (BufferId buffer = 0; buffer < first.size(); ++buffer)
      if (branches.back()[buffer])
        open(buffer, time);
    branches.pop_back();
    break;
  default:
    break;
  }
  forEachUse(time, [&](BufferId buffer) { open(buffer, time); });
  forEachUse(time, [&](BufferId buffer) {
    bool copied = action.kind == Action::Kind::Copy &&
                  llvm::is_contained(action.writes, buffer);
    if (first[buffer] == time || copied)
      close(buffer, time);
  });
}

std::vector<Lifetime> LifetimeFinder::run() {
  unsigned count = program.actions.size();
  loopBegin.resize(count);
  SmallVector<unsigned> open;
  for (unsigned time = 0; time < count; ++time) {
    forEachUse(time, [&](BufferId buffer) {
      first[buffer] = std::min(first[buffer], time);
    });
    if (program.actions[time].kind == Action::Kind::LoopBegin)
      open.push_back(time);
    if (program.actions[time].kind == Action::Kind::LoopEnd)
      loopBegin[time] = open.pop_back_val();
  }
  for (auto [buffer, info] : llvm::enumerate(program.buffers))
    if (info.result)
      neededUntil[buffer] = count;
  for (unsigned time = count; time-- > 0;)
    visit(time);
  for (BufferId buffer = 0; buffer < first.size(); ++buffer) {
    // A result that nothing writes.
    close(buffer, 0);
    std::reverse(lifetimes[buffer].begin(), lifetimes[buffer].end());
  }
  return std::move(lifetimes);
}

std::vector<Lifetime> findLifetimes(const Program &program) {
  return LifetimeFinder(program).run();
}

} // namespace tpc::lower
