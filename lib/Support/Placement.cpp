// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides when two placements mean the same, and what each rank holds.

#include "tpc/Support/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tpc {

StringRef stringify(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return "sum";
  case Reduction::Max:
    return "max";
  case Reduction::Min:
    return "min";
  case Reduction::Prod:
    return "prod";
  case Reduction::And:
    return "and";
  case Reduction::Or:
    return "or";
  }
  llvm_unreachable("covered switch");
}

std::optional<Reduction> parseReduction(StringRef text) {
  return StringSwitch<std::optional<Reduction>>(text)
      .Case("sum", Reduction::Sum)
      .Case("max", Reduction::Max)
      .Case("min", Reduction::Min)
      .Case("prod", Reduction::Prod)
      .Case("and", Reduction::And)
      .Case("or", Reduction::Or)
      .Default(std::nullopt);
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

Chunk chunkOf(int64_t length, int64_t parts, int64_t index) {
  int64_t step = ceilDiv(length, parts);
  int64_t offset = std::min(length, step * index);
  return {offset, std::min(step, length - offset)};
}

Placement::Placement(ArrayRef<Entry> entries) {
  entryList.assign(entries.begin(), entries.end());
  llvm::stable_sort(entryList, [](const Entry &a, const Entry &b) {
    return a.axis < b.axis;
  });
  for (size_t i = 1; i < entryList.size(); ++i)
    assert(entryList[i - 1].axis != entryList[i].axis &&
           "an axis may appear once only");
  // Shards of one dim take the places of their axes in nesting order.
  SmallSet<unsigned, 4> done;
  for (const Entry &entry : entries) {
    if (!entry.isShard() || !done.insert(entry.dim).second)
      continue;
    SmallVector<Entry> nesting;
    for (const Entry &other : entries)
      if (other.isShard() && other.dim == entry.dim)
        nesting.push_back(other);
    size_t next = 0;
    for (Entry &slot : entryList)
      if (slot.isShard() && slot.dim == entry.dim)
        slot = nesting[next++];
  }
}

Error Placement::verify(ArrayRef<Entry> entries, const Mesh &mesh,
                        int64_t rank) {
  SmallSet<unsigned, 4> axes;
  std::optional<Reduction> kind;
  for (const Entry &entry : entries) {
    if (entry.axis >= mesh.numAxes())
      return createStringError("expected an axis number below " +
                               Twine(mesh.numAxes()) + ", got " +
                               Twine(entry.axis));
    if (!axes.insert(entry.axis).second)
      return createStringError("expected every axis once, got axis \"" +
                               mesh.name(entry.axis) + "\" twice");
    if (entry.isShard() && entry.dim >= rank)
      return createStringError("expected a shard dim below " + Twine(rank) +
                               " for axis \"" + mesh.name(entry.axis) +
                               "\", got " + Twine(entry.dim));
    if (entry.isPartial()) {
      if (kind && *kind != entry.reduction)
        return createStringError("expected one kind of partial, got " +
                                 stringify(*kind) + " and " +
                                 stringify(entry.reduction));
      kind = entry.reduction;
    }
  }
  return Error::success();
}

Expected<Placement> Placement::parse(StringRef text, const Mesh &mesh) {
  StringRef body = text.trim();
  if (body.empty() || body == "R")
    return Placement();
  SmallVector<Entry> entries;
  SmallSet<unsigned, 4> axes;
  SmallVector<StringRef> items;
  body.split(items, ',');
  for (StringRef item : items) {
    auto [axisName, state] = item.split(':');
    axisName = axisName.trim();
    state = state.trim();
    std::optional<unsigned> axis = mesh.find(axisName);
    if (!axis)
      return createStringError("expected an axis of the mesh " + mesh.str() +
                               ", got axis \"" + axisName + "\"");
    if (!axes.insert(*axis).second)
      return createStringError("expected every axis once, got axis \"" +
                               axisName + "\" twice");
    if (state == "R")
      continue;
    StringRef argument = state;
    unsigned dim = 0;
    if (argument.consume_front("S(") && argument.consume_back(")") &&
        !argument.getAsInteger(10, dim)) {
      entries.push_back(Entry::shard(*axis, dim));
      continue;
    }
    argument = state;
    if (argument.consume_front("P(") && argument.consume_back(")"))
      if (std::optional<Reduction> reduction = parseReduction(argument)) {
        entries.push_back(Entry::partial(*axis, *reduction));
        continue;
      }
    return createStringError(
        "expected S(dim), P(sum|max|min|prod|and|or) or R for axis \"" +
        axisName + "\", got \"" + state + "\"");
  }
  return Placement(entries);
}

const Placement::Entry *Placement::find(unsigned axis) const {
  for (const Entry &entry : entryList)
    if (entry.axis == axis)
      return &entry;
  return nullptr;
}

bool Placement::hasPartial() const {
  return any_of(entryList,
                [](const Entry &entry) { return entry.isPartial(); });
}

SmallVector<unsigned> Placement::shardAxes(unsigned dim) const {
  SmallVector<unsigned> axes;
  for (const Entry &entry : entryList)
    if (entry.isShard() && entry.dim == dim)
      axes.push_back(entry.axis);
  return axes;
}

SmallVector<unsigned> Placement::partialAxes() const {
  SmallVector<unsigned> axes;
  for (const Entry &entry : entryList)
    if (entry.isPartial())
      axes.push_back(entry.axis);
  return axes;
}

Placement Placement::withReplicated(unsigned axis) const {
  SmallVector<Entry> entries;
  for (const Entry &entry : entryList)
    if (entry.axis != axis)
      entries.push_back(entry);
  return Placement(entries);
}

Placement Placement::with(Entry entry) const {
  SmallVector<Entry> entries;
  for (const Entry &other : entryList)
    if (other.axis != entry.axis)
      entries.push_back(other);
  entries.push_back(entry);
  return Placement(entries);
}

Chunk Placement::chunk(const Mesh &mesh, unsigned dim, int64_t length,
                       int64_t rank) const {
  SmallVector<int64_t> coordinates = mesh.coordinates(rank);
  Chunk result{0, length};
  for (unsigned axis : shardAxes(dim)) {
    Chunk inner = chunkOf(result.size, mesh.size(axis), coordinates[axis]);
    result = {result.offset + inner.offset, inner.size};
  }
  return result;
}

SmallVector<int64_t> Placement::localShape(const Mesh &mesh,
                                           ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> local(shape);
  for (const Entry &entry : entryList)
    if (entry.isShard())
      local[entry.dim] = ceilDiv(local[entry.dim], mesh.size(entry.axis));
  return local;
}

bool Placement::isEven(const Mesh &mesh, unsigned dim, int64_t length) const {
  for (unsigned axis : shardAxes(dim)) {
    if (length % mesh.size(axis) != 0)
      return false;
    length /= mesh.size(axis);
  }
  return true;
}

bool Placement::isEven(const Mesh &mesh, ArrayRef<int64_t> shape) const {
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!isEven(mesh, dim, shape[dim]))
      return false;
  return true;
}

std::string Placement::str(const Mesh &mesh) const {
  std::string text = "[";
  for (const Entry &entry : entryList) {
    if (text.size() > 1)
      text += ", ";
    text += mesh.name(entry.axis).str() + ": ";
    if (entry.isShard())
      text += "S(" + utostr(entry.dim) + ")";
    else
      text += "P(" + stringify(entry.reduction).str() + ")";
  }
  return text + "]";
}

hash_code hash_value(const Placement &placement) {
  hash_code code(placement.entries().size());
  for (const Placement::Entry &entry : placement.entries())
    code = hash_combine(code, entry.axis, (unsigned)entry.kind, entry.dim,
                        (unsigned)entry.reduction);
  return code;
}

} // namespace tpc
