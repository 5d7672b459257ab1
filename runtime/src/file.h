// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor files: one interface, two formats.
#ifndef TPC_RT_SRC_FILE_H
#define TPC_RT_SRC_FILE_H

#include "tensor.h"
#include <vector>

namespace tpc::rt {

/// A file that is open for reading, and its length.
class Input {
public:
  Input() = default;
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;
  ~Input();

  Status open(const std::string &path);
  /// Exactly `bytes` bytes from `offset`.
  Status read(int64_t offset, int64_t bytes, void *out) const;
  int64_t length() const { return size; }
  const std::string &path() const { return name; }

private:
  std::string name;
  int descriptor = -1;
  int64_t size = 0;
};

/// A tensor in a file.
struct FileEntry {
  std::string name;
  /// Empty for a type of the format that tpc does not know.
  std::optional<DType> dtype;
  std::string dtypeText;
  Shape shape;
  /// Of the first element, from the beginning of the file.
  int64_t offset = 0;
  bool isColumnMajor = false;
};

struct TensorFile {
  Input input;
  std::vector<FileEntry> entries;

  /// Reads `box` of an entry into a row-major buffer of shape `dstShape`, whose
  /// first elements it becomes. Only the bytes of the box are read, or little
  /// more.
  Status readBox(const FileEntry &entry, const Box &box, const Shape &dstShape,
                 void *dst) const;
};

/// Each parses and checks the header of its format.
Status parseSafetensors(TensorFile &file);
Status parseNpy(TensorFile &file);

/// A tensor to write.
struct NamedTensor {
  std::string name;
  const tpc_rt_tensor_t *tensor;
};

/// The header of each format, up to the first byte of data.
Status safetensorsHeader(const std::vector<NamedTensor> &tensors,
                         std::string &header);
Status npyHeader(const tpc_rt_tensor_t &tensor, std::string &header);

} // namespace tpc::rt

struct tpc_rt_file_t {
  std::atomic<int32_t> references{1};
  tpc::rt::TensorFile file;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  bool dropsLast() {
    return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

#endif // TPC_RT_SRC_FILE_H
