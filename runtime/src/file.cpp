// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes tensor files; which bytes belong to a tensor is the business
// of the formats.

#include "file.h"
#include "module.h"
#include "plan.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tpc::rt {

Input::~Input() {
  if (descriptor >= 0)
    close(descriptor);
}

Status Input::open(const std::string &path) {
  name = path;
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail(errno == ENOENT ? TPC_RT_NOT_FOUND : TPC_RT_IO,
                "cannot open \"", path, "\": ", strerror(errno));
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return fail(TPC_RT_IO, "cannot open \"", path, "\": ", strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail(TPC_RT_IO, "\"", path, "\" is not a regular file");
  size = info.st_size;
  return {};
}

Status Input::read(int64_t offset, int64_t bytes, void *out) const {
  char *next = static_cast<char *>(out);
  while (bytes > 0) {
    ssize_t got = pread(descriptor, next, static_cast<size_t>(bytes), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(TPC_RT_IO, "cannot read \"", name, "\": ", strerror(errno));
    if (got == 0)
      return fail(TPC_RT_IO, "\"", name, "\" ended while it was read");
    next += got;
    offset += got;
    bytes -= got;
  }
  return {};
}

/// Reads one run after the other, or, where runs are short and close together,
/// whole stretches of the file from which they are copied.
static Status readRuns(const Input &input, int64_t base, int64_t size,
                       const Transfer &transfer, char *dst) {
  constexpr int64_t window = 1 << 20;
  constexpr int64_t shortRun = 64 << 10;
  Status status;
  std::vector<char> stretch;
  int64_t stretchBegin = 0;
  int64_t last = transfer.srcOffset;
  for (size_t dim = 0; dim < transfer.extent.size(); ++dim)
    last += (transfer.extent[dim] - 1) * transfer.srcStride[dim];
  forEachRun(transfer, 0, 1, [&](int64_t to, int64_t from, int64_t count) {
    if (!status.ok())
      return;
    char *out = dst + to * size;
    if (count * size >= shortRun) {
      status = input.read(base + from * size, count * size, out);
      return;
    }
    int64_t begin = from * size;
    int64_t end = begin + count * size;
    if (begin < stretchBegin ||
        end > stretchBegin + static_cast<int64_t>(stretch.size())) {
      stretchBegin = begin;
      stretch.resize(std::min(window, (last + 1) * size - begin));
      status = input.read(base + begin, stretch.size(), stretch.data());
      if (!status.ok())
        return;
    }
    std::memcpy(out, stretch.data() + (begin - stretchBegin), count * size);
  });
  return status;
}

Status TensorFile::readBox(const FileEntry &entry, const Box &box,
                           const Shape &dstShape, void *dst) const {
  if (box.volume() == 0)
    return {};
  int64_t size = dtypeSize(*entry.dtype);
  Shape dstStrides = rowMajorStrides(dstShape);
  Shape srcStrides = rowMajorStrides(entry.shape);
  Shape origin(box.offset.size(), 0);
  char *out = static_cast<char *>(dst);
  if (!entry.isColumnMajor)
    return readRuns(
        input, entry.offset, size,
        makeTransfer(box, box.offset, dstStrides, origin, srcStrides), out);
  // The last dim has the long stride: read the array, then pick.
  Shape reversed(entry.shape.rbegin(), entry.shape.rend());
  Shape reversedStrides = rowMajorStrides(reversed);
  srcStrides.assign(reversedStrides.rbegin(), reversedStrides.rend());
  int64_t bytes = volumeOf(entry.shape) * size;
  std::unique_ptr<void, void (*)(void *)> whole{allocateZeroed(bytes),
                                                std::free};
  if (Status status = input.read(entry.offset, bytes, whole.get()))
    return status;
  Transfer transfer =
      makeTransfer(box, box.offset, dstStrides, origin, srcStrides);
  forEachRun(transfer, 0, 1, [&](int64_t to, int64_t from, int64_t count) {
    std::memcpy(out + to * size,
                static_cast<const char *>(whole.get()) + from * size,
                count * size);
  });
  return {};
}

static Status openFile(const char *path, TensorFile &file) {
  if (Status status = file.input.open(path))
    return status;
  char magic[6] = {};
  int64_t available = std::min<int64_t>(file.input.length(), sizeof(magic));
  if (Status status = file.input.read(0, available, magic))
    return status;
  if (std::memcmp(magic, "\x93NUMPY", 6) == 0)
    return parseNpy(file);
  return parseSafetensors(file);
}

static Status readTensor(const TensorFile &file, int32_t index,
                         tpc_rt_tensor_t **out) {
  if (index < 0 || index >= static_cast<int32_t>(file.entries.size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected an entry below ",
                file.entries.size(), ", got ", index);
  const FileEntry &entry = file.entries[index];
  if (!entry.dtype)
    return fail(TPC_RT_UNSUPPORTED, "\"", file.input.path(), "\": tensor \"",
                entry.name, "\" has the unsupported element type ",
                entry.dtypeText);
  std::unique_ptr<tpc_rt_tensor_t> tensor;
  if (Status status = createTensor(*entry.dtype, entry.shape, tensor))
    return status;
  Box all{Shape(entry.shape.size(), 0), entry.shape};
  if (Status status = file.readBox(entry, all, entry.shape, tensor->data.get()))
    return status;
  *out = tensor.release();
  return {};
}

static Status writeAll(int descriptor, const std::string &path,
                       const void *data, int64_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t put = write(descriptor, next, static_cast<size_t>(bytes));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return fail(TPC_RT_IO, "cannot write \"", path, "\": ", strerror(errno));
    next += put;
    bytes -= put;
  }
  return {};
}

static Status writeFile(const std::string &path,
                        const std::vector<NamedTensor> &tensors) {
  auto hasExtension = [&](const char *extension) {
    size_t length = std::strlen(extension);
    return path.size() >= length &&
           path.compare(path.size() - length, length, extension) == 0;
  };
  std::string header;
  if (hasExtension(".safetensors")) {
    if (Status status = safetensorsHeader(tensors, header))
      return status;
  } else if (hasExtension(".npy")) {
    if (tensors.size() != 1)
      return fail(TPC_RT_INVALID_ARGUMENT, "\"", path,
                  "\": a .npy file holds 1 tensor, got ", tensors.size(),
                  "; use .safetensors");
    if (Status status = npyHeader(*tensors[0].tensor, header))
      return status;
  } else {
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected a file name ending in .safetensors or .npy, got \"",
                path, "\"");
  }
  int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail(TPC_RT_IO, "cannot write \"", path, "\": ", strerror(errno));
  Status status = writeAll(descriptor, path, header.data(), header.size());
  for (const NamedTensor &named : tensors)
    if (status.ok())
      status = writeAll(descriptor, path, named.tensor->data.get(),
                        named.tensor->bytes());
  if (close(descriptor) != 0 && status.ok())
    status = fail(TPC_RT_IO, "cannot write \"", path, "\": ", strerror(errno));
  return status;
}

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

tpc_rt_status_t *tpc_rt_file_open(const char *path, tpc_rt_file_t **out_file) {
  *out_file = nullptr;
  return guard([&]() -> Status {
    auto handle = std::make_unique<tpc_rt_file_t>();
    if (Status status = openFile(path, handle->file))
      return status;
    *out_file = handle.release();
    return {};
  });
}

void tpc_rt_file_retain(tpc_rt_file_t *file) { retainHandle(file); }
void tpc_rt_file_release(tpc_rt_file_t *file) { releaseHandle(file); }

int32_t tpc_rt_file_count(const tpc_rt_file_t *file) {
  return static_cast<int32_t>(file->file.entries.size());
}

tpc_rt_status_t *tpc_rt_file_entry(const tpc_rt_file_t *file, int32_t index,
                                   tpc_rt_file_entry_t *out_entry) {
  return guard([&]() -> Status {
    if (index < 0 || index >= tpc_rt_file_count(file))
      return fail(TPC_RT_INVALID_ARGUMENT, "expected an entry below ",
                  tpc_rt_file_count(file), ", got ", index);
    if (out_entry->size < static_cast<int32_t>(sizeof(int32_t)))
      return fail(TPC_RT_INVALID_ARGUMENT,
                  "tpc_rt_file_entry_t: size is not set");
    const FileEntry &entry = file->file.entries[index];
    tpc_rt_file_entry_t full{};
    full.size = out_entry->size;
    full.dtype = entry.dtype ? static_cast<int32_t>(*entry.dtype) : -1;
    full.name = entry.name.c_str();
    full.dtype_text = entry.dtypeText.c_str();
    full.rank = static_cast<int32_t>(entry.shape.size());
    full.shape = entry.shape.data();
    std::memcpy(
        out_entry, &full,
        std::min<size_t>(sizeof(full), static_cast<size_t>(out_entry->size)));
    return {};
  });
}

int32_t tpc_rt_file_find(const tpc_rt_file_t *file, const char *name) {
  const auto &entries = file->file.entries;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name)
      return static_cast<int32_t>(i);
  return -1;
}

tpc_rt_status_t *tpc_rt_file_read(tpc_rt_file_t *file, int32_t index,
                                  tpc_rt_tensor_t **out_tensor) {
  *out_tensor = nullptr;
  return guard([&] { return readTensor(file->file, index, out_tensor); });
}

tpc_rt_status_t *tpc_rt_file_write(const char *path, int32_t count,
                                   const char *const *names,
                                   tpc_rt_tensor_t *const *tensors) {
  return guard([&] {
    std::vector<NamedTensor> list;
    for (int32_t i = 0; i < count; ++i)
      list.push_back({names[i], tensors[i]});
    return writeFile(path, list);
  });
}

} // extern "C"
