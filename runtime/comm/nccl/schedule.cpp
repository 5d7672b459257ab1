// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the plans of all members of a group, as they are for ranks that do
// see each other's memory, and finds the library's calls in them.

#include "schedule.h"
#include <algorithm>
#include <numeric>

namespace tpc::rt::nccl {

bool isNative(DType dtype, Reduction reduction) {
  switch (dtype) {
  case DType::F32:
  case DType::F64:
  case DType::F16:
  case DType::BF16:
    return reduction == Reduction::Sum || reduction == Reduction::Prod;
  case DType::I8:
  case DType::I32:
  case DType::I64:
    return reduction != Reduction::And && reduction != Reduction::Or;
  case DType::I1:
    // Of bytes that are 0 or 1; a sum would be modulo 2.
    return reduction != Reduction::Sum;
  case DType::I16:
    return false;
  }
  return false;
}

namespace {

/// Every piece of scratch memory begins where any access is aligned.
constexpr int64_t scratchAlignment = 256;

int64_t volumeOfTransfer(const Transfer &transfer) {
  return std::accumulate(transfer.extent.begin(), transfer.extent.end(),
                         int64_t(1), std::multiplies<>());
}

bool isRun(const Transfer &transfer) { return transfer.extent.size() == 1; }

/// Builds the schedule of one rank.
class Planner {
public:
  Planner(const Mesh &mesh, const Collective &collective, int32_t rank,
          Schedule &schedule)
      : mesh(mesh), collective(collective), rank(rank), schedule(schedule) {}

  Status run() {
    schedule.members = collective.isLocal ? std::vector<int32_t>{rank}
                                          : mesh.group(rank, collective.axes);
    self = memberOf(rank);
    schedule.phases.resize(1);
    for (part = 0; part < static_cast<int32_t>(collective.parts.size());
         ++part) {
      if (Status status = planAll(/*share=*/false))
        return status;
      if (isAllReduce())
        addAllReduce();
      else if (isAllGather())
        addAllGather();
      else if (isReduceScatter())
        addReduceScatter();
      else if (Status status = addExchange())
        return status;
    }
    // A rank may have no message where others have one, but all have the same
    // collectives.
    for (Phase &phase : schedule.phases) {
      std::vector<Message> ordered;
      for (bool isMessage : {false, true})
        for (const Message &message : phase.messages)
          if (isMessage == (message.operation == Operation::Send ||
                            message.operation == Operation::Receive))
            ordered.push_back(message);
      phase.messages = std::move(ordered);
    }
    return {};
  }

private:
  const Part &given() const { return collective.parts[part]; }
  int64_t size() const { return dtypeSize(given().dtype); }
  size_t numMembers() const { return schedule.members.size(); }

  size_t memberOf(int32_t of) const {
    return std::find(schedule.members.begin(), schedule.members.end(), of) -
           schedule.members.begin();
  }

  Status planAll(bool share) {
    plans.assign(numMembers(), {});
    for (size_t m = 0; m < numMembers(); ++m)
      if (Status status = planPart(mesh, collective.axes, given(),
                                   schedule.members[m], share, plans[m]))
        return fail(status.code(), collective.label, ": ", status.message());
    return {};
  }

  bool canBeNative() const {
    return !collective.isLocal &&
           isNative(given().dtype, plans[self].reduction);
  }
  bool isOfAll(const Transfer &transfer) const {
    return transfer.sources == schedule.members;
  }

  Phase &phase() { return schedule.phases[0]; }
  Place scratch(int64_t elements) {
    Place place{Memory::Scratch, 0, schedule.scratchBytes};
    schedule.scratchBytes += (elements * size() + scratchAlignment - 1) /
                             scratchAlignment * scratchAlignment;
    return place;
  }
  Place input(int64_t elements = 0) const {
    return {Memory::Input, part, elements * size()};
  }
  Place output(int64_t elements = 0) const {
    return {Memory::Output, part, elements * size()};
  }

  /// A move of `transfer` with its offsets taken into the places.
  Move move(const Transfer &transfer, Place target,
            std::vector<Place> sources) const {
    Move result{given().dtype, plans[self].reduction, transfer, target,
                std::move(sources)};
    result.transfer.dstOffset = result.transfer.srcOffset = 0;
    result.transfer.sources.resize(result.sources.size());
    std::iota(result.transfer.sources.begin(), result.transfer.sources.end(),
              0);
    return result;
  }
  /// From where `transfer` reads it to a dense piece, or from a dense piece to
  /// where it writes.
  Move pack(const Transfer &transfer, Place from, Place dense) const {
    Transfer packed = transfer;
    packed.dstStride = rowMajorStrides(transfer.extent);
    return move(packed, dense, {from});
  }
  Move unpack(const Transfer &transfer, Place dense, Place to) const {
    Transfer packed = transfer;
    packed.srcStride = rowMajorStrides(transfer.extent);
    return move(packed, to, {dense});
  }

  /// All members combine all elements where they lie. Padding goes along: it
  /// holds nothing.
  bool isAllReduce() const {
    if (!canBeNative() || given().window)
      return false;
    for (const PartPlan &plan : plans) {
      if (!plan.fills.empty() || plan.first.size() != 1)
        return false;
      const Transfer &transfer = plan.first[0];
      if (!isOfAll(transfer) || transfer.dstOffset != transfer.srcOffset ||
          transfer.dstStride != transfer.srcStride)
        return false;
    }
    return localShape(mesh, given().from, given().shape) ==
           localShape(mesh, given().to, given().shape);
  }
  void addAllReduce() {
    int64_t count = volumeOf(localShape(mesh, given().to, given().shape));
    phase().messages.push_back({Operation::AllReduce, given().dtype,
                                plans[self].reduction, count, input(),
                                output()});
  }

  /// Everybody gets the whole input of everybody, all of one size.
  bool isAllGather() const {
    if (collective.isLocal || plans[0].first.empty())
      return false;
    int64_t volume = volumeOfTransfer(plans[0].first[0]);
    for (const PartPlan &plan : plans) {
      if (!plan.fills.empty() || plan.first.size() != numMembers())
        return false;
      for (size_t m = 0; m < numMembers(); ++m) {
        const Transfer &transfer = plan.first[m];
        if (transfer.sources != std::vector<int32_t>{schedule.members[m]} ||
            transfer.srcOffset != 0 || volumeOfTransfer(transfer) != volume ||
            transfer.srcStride != rowMajorStrides(transfer.extent))
          return false;
      }
    }
    return true;
  }
  void addAllGather() {
    const std::vector<Transfer> &transfers = plans[self].first;
    int64_t volume = volumeOfTransfer(transfers[0]);
    // On all or none: NCCL's windows want operands alike on all ranks.
    bool isInPlace = true;
    for (const PartPlan &plan : plans)
      for (size_t m = 0; m < numMembers(); ++m)
        isInPlace &=
            isRun(plan.first[m]) &&
            plan.first[m].dstOffset == static_cast<int64_t>(m) * volume;
    Place target = isInPlace
                       ? output()
                       : scratch(volume * static_cast<int64_t>(numMembers()));
    phase().messages.push_back({Operation::AllGather, given().dtype,
                                Reduction::Sum, volume, input(), target});
    if (isInPlace)
      return;
    for (const Transfer &transfer : transfers) {
      phase().after.push_back(
          unpack(transfer, target, output(transfer.dstOffset)));
      target.offset += volume * size();
    }
  }

  /// Everybody gets one dense piece combined of all, all of one size.
  bool isReduceScatter() const {
    if (!canBeNative() || plans[0].first.empty())
      return false;
    int64_t volume = volumeOfTransfer(plans[0].first[0]);
    for (const PartPlan &plan : plans) {
      if (!plan.fills.empty() || plan.first.size() != 1)
        return false;
      const Transfer &transfer = plan.first[0];
      if (!isOfAll(transfer) || transfer.dstOffset != 0 ||
          volumeOfTransfer(transfer) != volume ||
          transfer.dstStride != rowMajorStrides(transfer.extent))
        return false;
    }
    return true;
  }
  void addReduceScatter() {
    int64_t volume = volumeOfTransfer(plans[0].first[0]);
    bool isInPlace = true;
    for (size_t m = 0; m < numMembers(); ++m)
      isInPlace &=
          isRun(plans[m].first[0]) &&
          plans[m].first[0].srcOffset == static_cast<int64_t>(m) * volume;
    Place source = isInPlace
                       ? input()
                       : scratch(volume * static_cast<int64_t>(numMembers()));
    phase().messages.push_back({Operation::ReduceScatter, given().dtype,
                                plans[self].reduction, volume, source,
                                output()});
    if (isInPlace)
      return;
    for (const PartPlan &plan : plans) {
      const Transfer &transfer = plan.first[0];
      phase().before.push_back(
          pack(transfer, input(transfer.srcOffset), source));
      source.offset += volume * size();
    }
  }

  /// Messages between pairs. Where ranks share a reduction each combines its
  /// share in the first phase and gets the others' in the second.
  Status addExchange() {
    if (worthSharing(mesh, collective.axes, given()))
      if (Status status = planAll(/*share=*/true))
        return status;
    for (const Transfer &fill : plans[self].fills)
      phase().before.push_back(move(fill, output(fill.dstOffset), {}));
    if (Status status = addPhase(0, &PartPlan::first, Memory::Input))
      return status;
    bool hasSecond = false;
    for (const PartPlan &plan : plans)
      hasSecond |= !plan.second.empty();
    if (!hasSecond)
      return {};
    schedule.phases.resize(2);
    return addPhase(1, &PartPlan::second, Memory::Output);
  }

  /// The pieces that `to` needs of `from`.
  std::vector<const Transfer *>
  piecesOf(size_t from, size_t to, std::vector<Transfer> PartPlan::*which) {
    std::vector<const Transfer *> pieces;
    for (const Transfer &transfer : plans[to].*which)
      if (std::find(transfer.sources.begin(), transfer.sources.end(),
                    schedule.members[from]) != transfer.sources.end())
        pieces.push_back(&transfer);
    return pieces;
  }

  Status addPhase(size_t number, std::vector<Transfer> PartPlan::*which,
                  Memory source) {
    auto at = [&](int64_t elements) {
      return Place{source, part, elements * size()};
    };
    // Where the pieces of the transfers that come from a member lie.
    const std::vector<Transfer> &own = plans[self].*which;
    std::vector<std::vector<Place>> arrived(own.size());
    std::vector<bool> isDone(own.size(), false);
    Phase &phase = schedule.phases[number];
    for (size_t m = 0; m < numMembers(); ++m)
      if (m != self)
        addSend(phase, m, piecesOf(self, m, which), at);
    for (size_t m = 0; m < numMembers(); ++m)
      if (m == self)
        addOwn(phase, own, at, arrived);
      else
        addReceive(phase, m, piecesOf(m, self, which), own, arrived, isDone);
    for (size_t i = 0; i < own.size(); ++i) {
      if (isDone[i])
        continue;
      if (arrived[i].size() > mostCombined)
        return fail(TPC_RT_UNSUPPORTED, collective.label, ": expected at most ",
                    mostCombined, " ranks in a reduction of ",
                    dtypeName(given().dtype),
                    " that NCCL does not do itself, got ", arrived[i].size());
      Transfer dense = own[i];
      // What is alone and the rank's own lies where it lay.
      if (!(arrived[i].size() == 1 && arrived[i][0].memory == source))
        dense.srcStride = rowMajorStrides(dense.extent);
      phase.after.push_back(
          move(dense, output(own[i].dstOffset), std::move(arrived[i])));
    }
    return {};
  }

  template <typename At>
  void addSend(Phase &phase, size_t member,
               const std::vector<const Transfer *> &pieces, At &&at) {
    int64_t count = 0;
    for (const Transfer *piece : pieces)
      count += volumeOfTransfer(*piece);
    if (count == 0)
      return;
    Place from;
    if (pieces.size() == 1 && isRun(*pieces[0])) {
      from = at(pieces[0]->srcOffset);
    } else {
      from = scratch(count);
      Place next = from;
      for (const Transfer *piece : pieces) {
        phase.before.push_back(pack(*piece, at(piece->srcOffset), next));
        next.offset += volumeOfTransfer(*piece) * size();
      }
    }
    phase.messages.push_back({Operation::Send,
                              given().dtype,
                              Reduction::Sum,
                              count,
                              from,
                              {},
                              static_cast<int32_t>(member)});
  }

  /// What the rank needs of itself, dense where others' pieces come to it.
  template <typename At>
  void addOwn(Phase &phase, const std::vector<Transfer> &own, At &&at,
              std::vector<std::vector<Place>> &arrived) {
    for (size_t i = 0; i < own.size(); ++i) {
      const Transfer &transfer = own[i];
      if (std::find(transfer.sources.begin(), transfer.sources.end(), rank) ==
          transfer.sources.end())
        continue;
      Place place = at(transfer.srcOffset);
      if (transfer.sources.size() > 1 && !isRun(transfer)) {
        Place dense = scratch(volumeOfTransfer(transfer));
        phase.before.push_back(pack(transfer, place, dense));
        place = dense;
      }
      arrived[i].push_back(place);
    }
  }

  void addReceive(Phase &phase, size_t member,
                  const std::vector<const Transfer *> &pieces,
                  const std::vector<Transfer> &own,
                  std::vector<std::vector<Place>> &arrived,
                  std::vector<bool> &isDone) {
    int64_t count = 0;
    for (const Transfer *piece : pieces)
      count += volumeOfTransfer(*piece);
    if (count == 0)
      return;
    bool isDirect = pieces.size() == 1 && isRun(*pieces[0]) &&
                    pieces[0]->sources.size() == 1;
    Place to = isDirect ? output(pieces[0]->dstOffset) : scratch(count);
    phase.messages.push_back({Operation::Receive,
                              given().dtype,
                              Reduction::Sum,
                              count,
                              {},
                              to,
                              static_cast<int32_t>(member)});
    for (const Transfer *piece : pieces) {
      size_t index = static_cast<size_t>(piece - own.data());
      isDone[index] = isDirect;
      arrived[index].push_back(to);
      to.offset += volumeOfTransfer(*piece) * size();
    }
  }

  const Mesh &mesh;
  const Collective &collective;
  int32_t rank;
  Schedule &schedule;
  size_t self = 0;
  int32_t part = 0;
  /// Of the current part, by member.
  std::vector<PartPlan> plans;
};

} // namespace

Status planSchedule(const Mesh &mesh, const Collective &collective,
                    int32_t rank, Schedule &schedule) {
  return Planner(mesh, collective, rank, schedule).run();
}

} // namespace tpc::rt::nccl
