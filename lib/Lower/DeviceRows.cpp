// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device kernels in which a team of threads takes a unit through all nests,
// with a barrier between one and the next.
#include "DeviceEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

void DeviceEmitter::emitRows() {
  Value unit = block;
  lane = thread;
  int64_t memory = schedule.sharedBytes - schedule.teams() * schedule.teamBytes;
  Value start = constant(memory);
  if (schedule.teams() > 1) {
    Value number = quotient(thread, schedule.team);
    unit = plus(times(block, schedule.teams()), number);
    lane = rest(thread, schedule.team);
    start = plus(start, times(number, schedule.teamBytes));
  }
  if (schedule.teamBytes)
    teamMemory = sharedAddress(start);
  emitStagedLoads(unit);
  for (const DevicePart &next : schedule.parts) {
    partNumber = &next - schedule.parts.data();
    if (partNumber > 0)
      gpu::BarrierOp::create(b);
    enter(next);
    setIndices(part->launch, unit);
    emitPart();
  }
}

/// Copies what several nests read into the team's memory.
void DeviceEmitter::emitStagedLoads(Value unit) {
  bool loadsAny = false;
  for (unsigned pointer = 0; pointer < schedule.staged.size(); ++pointer) {
    const std::optional<StagedPlace> &staged = schedule.staged[pointer];
    if (!staged || !staged->loads)
      continue;
    loadsAny = true;
    // Any access from the start of the unit's elements says where that is.
    unsigned access = 0;
    for (const DevicePart &next : schedule.parts) {
      SmallVector<unsigned> dims = next.parallel;
      llvm::append_range(dims, next.reductions);
      auto found = llvm::find_if(
          llvm::seq<unsigned>(0, next.pointers.size()), [&](unsigned number) {
            return next.pointers[number] == pointer &&
                   denseElements(next, dims, number) == staged->elements;
          });
      if (found == llvm::seq<unsigned>(0, next.pointers.size()).end())
        continue;
      access = *found;
      enter(next, /*takesScalars=*/false);
      break;
    }
    indices.assign(indices.size(), constant(0));
    setIndices(part->launch, unit);
    Type type = storageType(nest->accesses[access].elementType);
    Value source = globalAddress(access);
    int64_t width = 1;
    if (kernel.aligned[pointer])
      for (width = 16 / staged->elementBytes; width > 1; width /= 2)
        if (staged->elements % width == 0 &&
            llvm::all_of(part->launch, [&](unsigned dim) {
              return part->stride(dim, access) % width == 0;
            }))
          break;
    if (width > 1)
      type = VectorType::get({width}, type);
    Value target = at(teamMemory, b.getI8Type(), constant(staged->offset));
    unsigned bytes = width * staged->elementBytes;
    emitLoop(
        lane, staged->elements / width, schedule.team, {},
        [&](Value index, ValueRange) {
          Value element =
              LLVM::LoadOp::create(b, type, at(source, type, index), bytes);
          LLVM::StoreOp::create(b, element, at(target, type, index), bytes);
          return Sums();
        });
  }
  if (loadsAny)
    gpu::BarrierOp::create(b);
}

void DeviceEmitter::emitPart() {
  if (part->form == DevicePart::Form::Join)
    return emitJoin();
  if (part->form == DevicePart::Form::Scan)
    return emitScan();
  int64_t count = part->count(part->parallel) / part->vector;
  auto emitOne = [&](Value number) {
    setIndices(part->parallel, number, part->vector);
    if (part->vector > 1)
      emitVector(part->parallel.back(), {});
    else
      emitResult();
  };
  if (count <= schedule.team)
    return emitIf(count == schedule.team ? Value() : below(lane, count),
                  [&] { emitOne(lane); });
  emitLoop(lane, count, schedule.team, {}, [&](Value number, ValueRange) {
    emitOne(number);
    return Sums();
  });
}

/// Groups of lanes take result after result. All threads take part in each
/// join: those without a result repeat the last one and write nothing.
void DeviceEmitter::emitJoin() {
  int64_t results = part->count(part->parallel);
  int64_t groups = schedule.team / part->lanes;
  Value group = quotient(lane, part->lanes);
  Value first = groups == 1 ? lane : rest(lane, part->lanes);
  auto emitRound = [&](Value result) {
    Value inside;
    if (results % groups != 0) {
      inside = below(result, results);
      result = arith::MinSIOp::create(b, result, constant(results - 1));
    }
    setIndices(part->parallel, result);
    guard = inside;
    Sums sums = joinLanes(emitPartialSums(first, part->lanes), part->lanes);
    guard = {};
    Value stores = below(first, 1);
    if (inside)
      stores = arith::AndIOp::create(b, stores, inside);
    emitIf(stores, [&] { storeSums(sums); });
  };
  if (results <= groups)
    return emitRound(groups == 1 ? constant(0) : group);
  emitLoop(constant(0), results, groups, {}, [&](Value base, ValueRange) {
    emitRound(groups == 1 ? base : plus(base, group));
    return Sums();
  });
}

/// Prefix sums of as many elements as the team has threads, one after the
/// other: within warps, over the warps before, and over what came before.
void DeviceEmitter::emitScan() {
  const Nest::Output &output = nest->outputs.front();
  bool exclusive = output.scan == Nest::Output::Scan::Exclusive;
  int64_t length = part->count(part->reductions), team = schedule.team;
  int64_t warp = std::min<int64_t>(team, 32);
  auto offsetBy = [&](int64_t count) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(count));
  };
  Value inWarp = rest(lane, warp);
  Value lastLane = plus(arith::SubIOp::create(b, rest(thread, 32), inWarp),
                        constant(warp - 1));
  if (indexType.isInteger(64))
    lastLane = arith::TruncIOp::create(b, b.getI32Type(), lastLane);
  auto emitChunk = [&](Value base, ValueRange carried) -> Sums {
    Value place = plus(base, lane), inside;
    if (length % team != 0) {
      inside = below(place, length);
      place = arith::MinSIOp::create(b, place, constant(length - 1));
    }
    setIndices(part->reductions, place);
    Value value = widen(emitBody({}).front());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
    if (inside)
      value = arith::SelectOp::create(b, inside, value, zero);
    for (int64_t offset = 1; offset < warp; offset *= 2) {
      Value before = shuffle(value, offsetBy(offset), gpu::ShuffleMode::UP);
      Value sum = add(value, before);
      value = arith::SelectOp::create(b, below(inWarp, offset), value, sum);
    }
    Value total = shuffle(value, lastLane, gpu::ShuffleMode::IDX);
    Value ahead = value;
    if (exclusive) {
      ahead = shuffle(value, offsetBy(1), gpu::ShuffleMode::UP);
      ahead = arith::SelectOp::create(b, below(inWarp, 1), zero, ahead);
    }
    Value before = carried.front();
    if (team > 32) {
      int64_t warps = team / 32;
      Value number = quotient(lane, 32);
      Value firstWarp = arith::SubIOp::create(b, quotient(thread, 32), number);
      int64_t slots = schedule.block / 32;
      emitIf(below(inWarp, 1), [&] {
        LLVM::StoreOp::create(b, total,
                              joinSlot(0, slots, quotient(thread, 32)));
      });
      gpu::BarrierOp::create(b);
      Value all = zero;
      for (int64_t other = 0; other < warps; ++other) {
        Value sum = LLVM::LoadOp::create(
            b, total.getType(),
            joinSlot(0, slots, plus(firstWarp, constant(other))));
        Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                               number, constant(other));
        before = arith::SelectOp::create(b, isBefore, add(before, sum), before);
        all = add(all, sum);
      }
      gpu::BarrierOp::create(b);
      total = all;
    } else if (inside) {
      // Threads without an element have read the last one, which may be written
      // in place now.
      gpu::BarrierOp::create(b);
    }
    guard = inside;
    store(add(before, ahead), output.access);
    guard = {};
    return {add(carried.front(), total)};
  };
  emitLoop(constant(0), part->count(part->parallel), 1, {},
           [&](Value result, ValueRange) {
             setIndices(part->parallel, result);
             Value start = widen(read(output.init));
             emitLoop(constant(0), length, team, start, emitChunk);
             return Sums();
           });
}

} // namespace tpc::lower
