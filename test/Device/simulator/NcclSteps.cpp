// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives and messages as steps of a stream.
#include "Nccl.h"
#include "Number.h"
#include <cstring>

namespace tpc::sim {

const char *collectiveName(Collective kind) {
  static const char *const names[] = {"AllReduce", "Broadcast",     "Reduce",
                                      "AllGather", "ReduceScatter", "AlltoAll",
                                      "Gather",    "Scatter"};
  return names[static_cast<int>(kind)];
}

int64_t ncclTypeBytes(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

/// In the order of ranks; what is narrow is summed wide and rounded once.
template <typename Stored, typename Wide>
static void reduceAs(const std::vector<const char *> &inputs, char *out,
                     int64_t count, int32_t op) {
  for (int64_t i = 0; i < count; ++i) {
    auto value = [&](size_t rank) {
      Stored stored;
      memcpy(&stored, inputs[rank] + i * sizeof(Stored), sizeof(Stored));
      return static_cast<Wide>(stored);
    };
    Wide total = value(0);
    for (size_t rank = 1; rank < inputs.size(); ++rank) {
      Wide next = value(rank);
      if (op == ncclProd)
        total = total * next;
      else if (op == ncclMax)
        total = total < next || next != next ? next : total;
      else if (op == ncclMin)
        total = next < total || next != next ? next : total;
      else
        total = total + next;
    }
    if (op == ncclAvg)
      total = total / static_cast<Wide>(inputs.size());
    auto stored = static_cast<Stored>(total);
    memcpy(out + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

static void reduce(const std::vector<const char *> &inputs, char *out,
                   const Header &header, int64_t count) {
  switch (header.type) {
  case ncclInt8:
    return reduceAs<int8_t, int8_t>(inputs, out, count, header.op);
  case ncclUint8:
    return reduceAs<uint8_t, uint8_t>(inputs, out, count, header.op);
  case ncclInt32:
    return reduceAs<int32_t, int32_t>(inputs, out, count, header.op);
  case ncclUint32:
    return reduceAs<uint32_t, uint32_t>(inputs, out, count, header.op);
  case ncclInt64:
    return reduceAs<int64_t, int64_t>(inputs, out, count, header.op);
  case ncclUint64:
    return reduceAs<uint64_t, uint64_t>(inputs, out, count, header.op);
  case ncclFloat16:
    return reduceAs<Float16, float>(inputs, out, count, header.op);
  case ncclBfloat16:
    return reduceAs<BFloat16, float>(inputs, out, count, header.op);
  case ncclFloat32:
    return reduceAs<float, float>(inputs, out, count, header.op);
  default:
    return reduceAs<double, double>(inputs, out, count, header.op);
  }
}

namespace {

/// One rank's share of one collective.
struct Running {
  CollectiveCall call;
  int64_t turn;     // among all that its communicator was given
  int64_t sequence; // among the collectives
  bool dead;
  bool posted = false;

  int64_t elements() const { return call.header.count; }
  bool atRoot() const { return call.comm->rank == call.header.root; }
  int64_t sendElements() const;
  int64_t recvElements() const;
  Progress step(const ActorPtr &actor);
  bool post(const ActorPtr &actor);
  void take(const ActorPtr &actor);
};

int64_t Running::sendElements() const {
  int64_t n = call.comm->ranks;
  switch (call.header.kind) {
  case Collective::Broadcast:
    return atRoot() ? elements() : 0;
  case Collective::ReduceScatter:
  case Collective::AllToAll:
    return n * elements();
  case Collective::Scatter:
    return atRoot() ? n * elements() : 0;
  default:
    return elements();
  }
}

int64_t Running::recvElements() const {
  int64_t n = call.comm->ranks;
  switch (call.header.kind) {
  case Collective::AllGather:
  case Collective::AllToAll:
    return n * elements();
  case Collective::Gather:
    return atRoot() ? n * elements() : 0;
  case Collective::Reduce:
    return atRoot() ? elements() : 0;
  default:
    return elements();
  }
}

bool Running::post(const ActorPtr &actor) {
  ncclComm &comm = *call.comm;
  for (int32_t r = 0; r < comm.ranks; ++r)
    if (comm.meeting->rank(r).done.load() < sequence - 1)
      return false;
  Simulator &sim = Simulator::get();
  int64_t bytes = sendElements() *
                  ncclTypeBytes(static_cast<ncclDataType_t>(call.header.type));
  if (bytes > Meeting::kDataBytes)
    sim.findings.add(actor->text + " sends more than the simulator can");
  else if (sim.memory.access(actor, call.send, bytes, TPC_SIM_READ) || !bytes)
    memcpy(comm.meeting->data(comm.rank), call.send, bytes);
  comm.meeting->rank(comm.rank).header = call.header;
  comm.meeting->rank(comm.rank).posted.store(sequence);
  posted = true;
  return true;
}

void Running::take(const ActorPtr &actor) {
  ncclComm &comm = *call.comm;
  Simulator &sim = Simulator::get();
  const Header &mine = call.header;
  auto describe = [](const Header &header) {
    return std::string(collectiveName(header.kind)) + " of " +
           std::to_string(header.count) + " elements of type " +
           std::to_string(header.type) + ", op " + std::to_string(header.op) +
           ", root " + std::to_string(header.root) +
           (header.sendOffset < 0
                ? ""
                : ", in windows at " + std::to_string(header.sendOffset) +
                      " and " + std::to_string(header.recvOffset));
  };
  for (int32_t r = 0; r < comm.ranks; ++r) {
    const Header &other = comm.meeting->rank(r).header;
    if (other.kind == mine.kind && other.type == mine.type &&
        other.op == mine.op && other.root == mine.root &&
        other.count == mine.count && other.sendOffset == mine.sendOffset &&
        other.recvOffset == mine.recvOffset)
      continue;
    sim.findings.add(actor->text + " of " + comm.text() + " is an " +
                     describe(mine) + ", while rank " + std::to_string(r) +
                     " is in an " + describe(other));
    comm.error = ncclInvalidUsage;
    return;
  }
  int64_t unit = ncclTypeBytes(static_cast<ncclDataType_t>(mine.type));
  int64_t chunk = elements() * unit;
  if (recvElements() == 0 ||
      !sim.memory.access(actor, call.recv, recvElements() * unit,
                         TPC_SIM_WRITE))
    return;
  std::vector<const char *> inputs;
  for (int32_t r = 0; r < comm.ranks; ++r)
    inputs.push_back(comm.meeting->data(r));
  switch (mine.kind) {
  case Collective::ReduceScatter:
    for (const char *&input : inputs)
      input += comm.rank * chunk;
    [[fallthrough]];
  case Collective::AllReduce:
  case Collective::Reduce:
    return reduce(inputs, call.recv, mine, elements());
  case Collective::Broadcast:
    memcpy(call.recv, inputs[mine.root], chunk);
    return;
  case Collective::Scatter:
    memcpy(call.recv, inputs[mine.root] + comm.rank * chunk, chunk);
    return;
  case Collective::AllGather:
  case Collective::Gather:
  case Collective::AllToAll:
    for (int32_t r = 0; r < comm.ranks; ++r)
      memcpy(call.recv + r * chunk,
             inputs[r] +
                 (mine.kind == Collective::AllToAll ? comm.rank * chunk : 0),
             chunk);
  }
}

Progress Running::step(const ActorPtr &actor) {
  ncclComm &comm = *call.comm;
  if (comm.gaveUp())
    return Progress::Done;
  if (dead || comm.executed != turn - 1 || comm.error == ncclInProgress)
    return Progress::Waiting;
  if (!posted && !post(actor))
    return Progress::Waiting;
  for (int32_t r = 0; r < comm.ranks; ++r)
    if (comm.meeting->rank(r).posted.load() < sequence)
      return Progress::Waiting;
  take(actor);
  comm.meeting->rank(comm.rank).done.store(sequence);
  comm.executed = turn;
  return Progress::Done;
}

/// One rank's messages of one group.
struct Messages {
  std::shared_ptr<ncclComm> comm;
  std::vector<PointToPoint> parts;
  int64_t turn;
  std::vector<int64_t> sent; // what each part's mailbox counts, 0: not yet

  Progress step(const ActorPtr &actor);
  bool tryOne(size_t i, const ActorPtr &actor);
};

bool Messages::tryOne(size_t i, const ActorPtr &actor) {
  Simulator &sim = Simulator::get();
  PointToPoint &part = parts[i];
  const Meeting &meeting = *comm->meeting;
  // Messages between two ranks keep their order.
  for (size_t before = 0; before < i; ++before)
    if (parts[before].peer == part.peer && parts[before].sends == part.sends &&
        sent[before] >= 0)
      return false;
  if (part.sends) {
    Mailbox &box = meeting.mailbox(comm->rank, part.peer);
    if (sent[i] == 0) {
      if (box.posted.load() != box.taken.load())
        return false;
      if (part.bytes > Meeting::kMailBytes)
        sim.findings.add(actor->text + " sends more than the simulator can");
      else if (sim.memory.access(actor, part.data, part.bytes, TPC_SIM_READ))
        memcpy(meeting.mail(comm->rank, part.peer), part.data, part.bytes);
      box.bytes = part.bytes;
      sent[i] = box.posted.load() + 1;
      box.posted.store(sent[i]);
      return true;
    }
    if (box.taken.load() < sent[i])
      return false;
    sent[i] = -1;
    return true;
  }
  Mailbox &box = meeting.mailbox(part.peer, comm->rank);
  if (box.posted.load() == box.taken.load())
    return false;
  if (box.bytes != part.bytes)
    sim.findings.add(actor->text + " of " + comm->text() + " receives " +
                     std::to_string(part.bytes) + " bytes, of which rank " +
                     std::to_string(part.peer) + " sends " +
                     std::to_string(box.bytes));
  else if (sim.memory.access(actor, part.data, part.bytes, TPC_SIM_WRITE))
    memcpy(part.data, meeting.mail(part.peer, comm->rank), part.bytes);
  box.taken.store(box.taken.load() + 1);
  sent[i] = -1;
  return true;
}

Progress Messages::step(const ActorPtr &actor) {
  if (comm->gaveUp())
    return Progress::Done;
  if (comm->executed != turn - 1 || comm->error == ncclInProgress)
    return Progress::Waiting;
  bool finished = true, moved = true;
  while (moved) {
    moved = false;
    finished = true;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (sent[i] < 0)
        continue;
      moved |= tryOne(i, actor);
      finished &= sent[i] < 0;
    }
  }
  if (!finished)
    return Progress::Waiting;
  comm->executed = turn;
  return Progress::Done;
}

} // namespace

Step issueCollective(const CollectiveCall &what) {
  auto running = std::make_shared<Running>();
  running->call = what;
  running->turn = ++what.comm->issued;
  running->sequence = ++what.comm->collectives;
  running->dead = Simulator::get().strikes("dead-rank", what.comm->rank);
  return [running](const ActorPtr &actor) { return running->step(actor); };
}

Step issuePointToPoint(const std::shared_ptr<ncclComm> &comm,
                       const std::vector<PointToPoint> &parts) {
  auto messages = std::make_shared<Messages>();
  messages->comm = comm;
  messages->parts = parts;
  messages->turn = ++comm->issued;
  messages->sent.assign(parts.size(), 0);
  return [messages](const ActorPtr &actor) { return messages->step(actor); };
}

} // namespace tpc::sim
