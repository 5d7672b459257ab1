// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules every kernel group as if no two buffers shared their memory, and
// looks which ones never reach global memory.
//
// What is found stays true when the plan lets other buffers of the kernel share
// a place: the kernel gives shared memory to internal buffers first. Whether
// that is enough for all of them is looked at in a second schedule.
#include "InternalBuffers.h"
#include "DeviceSchedule.h"
#include "Lifetimes.h"

using namespace mlir;

namespace tpc::lower {

namespace {

class InternalFinder {
public:
  InternalFinder(const Program &program, int64_t sharedLimit)
      : program(program), sharedLimit(sharedLimit),
        lifetimes(findLifetimes(program)), groups(program.buffers.size()),
        internal(program.buffers.size(), false) {}

  std::vector<bool> find();

private:
  void noteUses();
  void visitGroup(ArrayRef<unsigned> actions);

  const Program &program;
  int64_t sharedLimit;
  std::vector<Lifetime> lifetimes;
  /// Per buffer: the groups that use it, the first and the last.
  std::vector<std::optional<std::pair<unsigned, unsigned>>> groups;
  std::vector<bool> internal;
};

void InternalFinder::noteUses() {
  for (const Action &action : program.actions) {
    auto note = [&](BufferId buffer) {
      auto &known = groups[buffer];
      if (!known)
        known = {action.group, action.group};
      known->first = std::min(known->first, action.group);
      known->second = std::max(known->second, action.group);
    };
    llvm::for_each(action.reads, note);
    llvm::for_each(action.writes, note);
    llvm::for_each(action.held, note);
  }
}

void InternalFinder::visitGroup(ArrayRef<unsigned> actions) {
  Kernel kernel;
  SmallVector<std::pair<BufferId, HostOffsets>> places;
  for (unsigned number : actions) {
    const Action &action = program.actions[number];
    KernelPart part{
        &action.nest, scheduleKernel(action.nest, action.units), {}};
    for (const Access &access : action.nest.accesses) {
      std::pair place(access.buffer, access.offsets);
      auto known = llvm::find(places, place);
      part.pointers.push_back(known - places.begin());
      if (known == places.end())
        places.push_back(place);
    }
    kernel.parts.push_back(std::move(part));
  }
  kernel.units = program.actions[actions.front()].units;
  kernel.aligned.assign(places.size(), true);
  kernel.internal.assign(places.size(), false);
  for (auto &[buffer, offsets] : places)
    kernel.liveOut.push_back(isNeededBehind(lifetimes[buffer], actions.back()));
  DeviceKernel schedule = scheduleDeviceKernel(kernel, sharedLimit);
  for (auto [pointer, place] : llvm::enumerate(places)) {
    auto [buffer, offsets] = place;
    const Buffer &info = program.buffers[buffer];
    const std::optional<StagedPlace> &staged = schedule.staged[pointer];
    kernel.internal[pointer] =
        staged && !staged->loads && !staged->storesIn && offsets.empty() &&
        info.origin == Buffer::Origin::Computed && !info.result &&
        groups[buffer]->first == groups[buffer]->second;
  }
  // Now as the kernel will do it.
  schedule = scheduleDeviceKernel(kernel, sharedLimit);
  if (llvm::all_of(llvm::seq<size_t>(0, places.size()), [&](size_t pointer) {
        return !kernel.internal[pointer] || schedule.staged[pointer];
      }))
    for (auto [pointer, place] : llvm::enumerate(places))
      internal[place.first] = internal[place.first] || kernel.internal[pointer];
}

std::vector<bool> InternalFinder::find() {
  noteUses();
  SmallVector<unsigned> actions;
  for (unsigned number = 0; number <= program.actions.size(); ++number) {
    bool ends = number == program.actions.size() ||
                (!actions.empty() && program.actions[number].group !=
                                         program.actions[actions[0]].group);
    if (ends) {
      if (actions.size() > 1)
        visitGroup(actions);
      actions.clear();
    }
    if (number < program.actions.size() &&
        program.actions[number].kind == Action::Kind::Loops)
      actions.push_back(number);
  }
  return std::move(internal);
}

} // namespace

std::vector<bool> findInternalBuffers(const Program &program,
                                      int64_t sharedLimit) {
  return InternalFinder(program, sharedLimit).find();
}

} // namespace tpc::lower
