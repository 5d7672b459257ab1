// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the report says of device kernels: registers, spills, and how much
// memory a launch moves next to the least that its inputs and outputs take. In
// the totals every kernel counts as often as it is launched.
#include "tpc/Target/Report.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tpc {

namespace {

int64_t traffic(const json::Object &kernel, StringRef prefix) {
  return *kernel.getInteger((prefix + "read_bytes").str()) +
         *kernel.getInteger((prefix + "write_bytes").str());
}

double shareOfLeast(int64_t least, int64_t bytes) {
  return bytes ? double(least) / double(bytes) : 1.0;
}

std::string extentText(const json::Array &extent) {
  return std::to_string(extent.empty() ? 1 : *extent.front().getAsInteger());
}

} // namespace

void addKernels(json::Object &report, json::Array kernels) {
  int64_t bytes = 0, least = 0, minimal = 0, spilled = 0, launches = 0;
  for (json::Value &value : kernels) {
    json::Object &kernel = *value.getAsObject();
    int64_t own = traffic(kernel, ""), ownLeast = traffic(kernel, "least_");
    kernel["least_share"] = shareOfLeast(ownLeast, own);
    int64_t times = *kernel.getInteger("launches");
    launches += times;
    bytes += times * own;
    least += times * ownLeast;
    minimal += own == ownLeast;
    spilled += any_of(*kernel.getObject("statistics"), [](const auto &entry) {
      return *entry.second.getAsObject()->getInteger("spill_bytes") != 0;
    });
  }
  report["kernel_totals"] =
      json::Object{{"kernels", int64_t(kernels.size())},
                   {"launches", launches},
                   {"minimal", minimal},
                   {"spilling", spilled},
                   {"bytes", bytes},
                   {"least_bytes", least},
                   {"least_share", shareOfLeast(least, bytes)}};
  report["kernels"] = std::move(kernels);
}

void printKernels(const json::Object &report, raw_ostream &os) {
  const json::Array *kernels = report.getArray("kernels");
  if (!kernels)
    return;
  os << "kernels:\n";
  for (const json::Value &value : *kernels) {
    const json::Object &kernel = *value.getAsObject();
    os << "  " << *kernel.getString("name") << " " << *kernel.getString("kind");
    if (StringRef loc = *kernel.getString("loc"); !loc.empty())
      os << " at " << loc;
    int64_t launches = *kernel.getInteger("launches");
    os << ": " << launches << (launches == 1 ? " launch" : " launches")
       << " of " << extentText(*kernel.getArray("grid")) << " x "
       << extentText(*kernel.getArray("block")) << " threads, reads "
       << *kernel.getInteger("read_bytes") << " B, writes "
       << *kernel.getInteger("write_bytes") << " B, least "
       << traffic(kernel, "least_") << " B ("
       << formatv("{0:P0}", *kernel.getNumber("least_share")) << ")";
    for (const auto &[arch, entry] : *kernel.getObject("statistics")) {
      const json::Object &numbers = *entry.getAsObject();
      os << "; " << arch << " " << *numbers.getInteger("registers")
         << " registers, " << *numbers.getInteger("spill_bytes")
         << " B spilled, " << *numbers.getInteger("shared_bytes")
         << " B shared";
      if (int64_t stack = *numbers.getInteger("stack_bytes"))
        os << ", " << stack << " B stack";
    }
    os << "\n";
  }
  const json::Object &totals = *report.getObject("kernel_totals");
  os << "total: " << *totals.getInteger("kernels") << " kernels, "
     << *totals.getInteger("launches") << " launches, "
     << *totals.getInteger("minimal") << " of least traffic, "
     << *totals.getInteger("spilling") << " with spills; "
     << *totals.getInteger("bytes") << " B, least "
     << *totals.getInteger("least_bytes") << " B ("
     << formatv("{0:P0}", *totals.getNumber("least_share")) << ")\n";
}

} // namespace tpc
