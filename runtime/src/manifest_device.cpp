// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the device code of a manifest: constants, images and kernels, with the
// limits that every device of the kind has.

#include "manifest_field.h"
#include <algorithm>

namespace tpc::rt {

namespace {

/// Kernel parameters of 8 bytes each, of the 32764 bytes that a launch takes.
constexpr int64_t mostParameters = 4095;
constexpr int64_t mostThreads = 1024;
constexpr int64_t most32 = std::numeric_limits<int32_t>::max();

DataSymbol parseData(const Field &field) {
  DataSymbol data;
  data.symbol = field["symbol"].string();
  data.bytes = field["bytes"].integer(1, anyCount);
  return data;
}

bool isProcessor(const std::string &arch) {
  return arch.size() > 3 && arch.compare(0, 3, "sm_") == 0 &&
         arch.find_first_not_of("0123456789af", 3) == std::string::npos;
}

Image parseImage(const Field &field) {
  Image image;
  image.arch = field["arch"].string();
  std::string kind = field["kind"].string();
  if (kind == "cubin")
    image.kind = Image::Kind::Cubin;
  else if (kind == "ptx")
    image.kind = Image::Kind::Ptx;
  else if (kind == "host")
    image.kind = Image::Kind::Host;
  else
    field["kind"].fail("expected cubin, ptx or host, got \"", kind, "\"");
  if (image.kind == Image::Kind::Host ? image.arch != "host"
                                      : !isProcessor(image.arch))
    field["arch"].fail(
        "expected ", image.kind == Image::Kind::Host ? "host" : "sm_NN",
        " for an image of kind ", kind, ", got \"", image.arch, "\"");
  image.data = parseData(field);
  return image;
}

std::array<uint32_t, 3> parseExtent(const Field &field,
                                    const std::array<int64_t, 3> &most) {
  std::array<uint32_t, 3> extent{};
  size_t count = 0;
  field.forEach([&](const Field &item) {
    if (count < extent.size())
      extent[count] = static_cast<uint32_t>(item.integer(1, most[count]));
    ++count;
  });
  if (count != extent.size())
    field.fail("expected 3 numbers, got ", count);
  return extent;
}

std::vector<KernelStatistics> parseStatistics(const Field &field) {
  std::vector<KernelStatistics> result;
  if (!field.value.is_object())
    field.failType("an object");
  for (const auto &[arch, value] : field.value.items()) {
    Field entry{value, field.path + "." + arch};
    KernelStatistics statistics;
    statistics.arch = arch;
    statistics.registers = entry["registers"].integer(0, most32);
    statistics.spillBytes = entry["spill_bytes"].integer(0, most32);
    statistics.sharedBytes = entry["shared_bytes"].integer(0, most32);
    if (entry.has("stack_bytes"))
      (void)entry["stack_bytes"].integer(0, most32);
    result.push_back(std::move(statistics));
  }
  return result;
}

DeviceKernel parseKernel(const Field &field) {
  DeviceKernel kernel;
  kernel.name = field["name"].string();
  kernel.grid = parseExtent(field["grid"], {most32, 65535, 65535});
  kernel.block = parseExtent(field["block"], {1024, 1024, 64});
  int64_t threads =
      int64_t(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  if (threads > mostThreads)
    field["block"].fail("expected at most ", mostThreads,
                        " threads in a block, got ", threads);
  kernel.sharedBytes =
      static_cast<uint32_t>(field["shared_bytes"].integer(0, most32));
  kernel.parameters =
      static_cast<int32_t>(field["parameters"].integer(0, mostParameters));
  if (field.has("launches"))
    (void)field["launches"].integer(0, anyCount);
  kernel.kind = field["kind"].string();
  kernel.readBytes = field["read_bytes"].integer(0, anyCount);
  kernel.writeBytes = field["write_bytes"].integer(0, anyCount);
  kernel.leastReadBytes = field["least_read_bytes"].integer(0, anyCount);
  kernel.leastWriteBytes = field["least_write_bytes"].integer(0, anyCount);
  if (field.has("statistics"))
    kernel.statistics = parseStatistics(field["statistics"]);
  kernel.label = kernel.name + ", " + kernel.kind;
  std::string loc = field.has("loc") ? field["loc"].string() : "";
  if (!loc.empty())
    kernel.label += " (" + loc + ")";
  return kernel;
}

} // namespace

void parseDeviceCode(const Field &top, Manifest &manifest) {
  manifest.target = Target::Cuda;
  top["constants"].forEach([&](const Field &field) {
    manifest.constants.push_back(parseData(field));
  });
  top["images"].forEach([&](const Field &field) {
    Image image = parseImage(field);
    for (const Image &other : manifest.images)
      if (other.arch == image.arch && other.kind == image.kind)
        field.fail("expected different images, got two of arch \"", image.arch,
                   "\" and kind ", field["kind"].string());
    manifest.images.push_back(std::move(image));
  });
  top["kernels"].forEach([&](const Field &field) {
    DeviceKernel kernel = parseKernel(field);
    manifest.kernels.push_back(std::move(kernel));
  });
  if (manifest.images.empty() && !manifest.kernels.empty())
    top["images"].fail("expected an image, got none for ",
                       manifest.kernels.size(), " kernels");
}

} // namespace tpc::rt
