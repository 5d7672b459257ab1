// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .npy format, versions 1 to 3: a magic string, a header that is a Python
// dict, data.

#include "file.h"

namespace tpc::rt {

namespace {

struct FormatType {
  const char *name;
  DType dtype;
};

const FormatType formatTypes[] = {{"<f4", DType::F32}, {"<f8", DType::F64},
                                  {"<f2", DType::F16}, {"|b1", DType::I1},
                                  {"|i1", DType::I8},  {"<i2", DType::I16},
                                  {"<i4", DType::I32}, {"<i8", DType::I64}};

/// Reads the three entries of the dict in any order. Nothing else of Python is
/// understood, and nothing else is ever written there.
class DictParser {
public:
  explicit DictParser(const std::string &text) : text(text) {}

  bool run(std::string &descr, bool &isColumnMajor, Shape &shape) {
    int found = 0;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return false;
      if (key == "descr" && !(found & 1))
        found |= string(descr) ? 1 : 0x100;
      else if (key == "fortran_order" && !(found & 2))
        found |= boolean(isColumnMajor) ? 2 : 0x100;
      else if (key == "shape" && !(found & 4))
        found |= tuple(shape) ? 4 : 0x100;
      else
        return false;
      if (found & 0x100)
        return false;
      if (!take(',') && peek() != '}')
        return false;
    }
    return found == 7 && peek() == '\0';
  }

private:
  char peek() {
    while (next < text.size() && (text[next] == ' ' || text[next] == '\n'))
      ++next;
    return next < text.size() ? text[next] : '\0';
  }

  bool take(char expected) {
    if (peek() != expected)
      return false;
    ++next;
    return true;
  }

  bool string(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, ++next);
    if (end == std::string::npos)
      return false;
    out = text.substr(next, end - next);
    next = end + 1;
    return true;
  }

  bool boolean(bool &out) {
    peek();
    for (const char *word : {"True", "False"})
      if (text.compare(next, std::strlen(word), word) == 0) {
        out = word[0] == 'T';
        next += std::strlen(word);
        return true;
      }
    return false;
  }

  bool tuple(Shape &out) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t number = 0;
      size_t digits = 0;
      for (peek(); next < text.size() && isdigit(text[next]); ++next, ++digits)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, text[next] - '0', &number))
          return false;
      if (digits == 0)
        return false;
      out.push_back(number);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  const std::string &text;
  size_t next = 0;
};

} // namespace

Status parseNpy(TensorFile &file) {
  const Input &input = file.input;
  auto error = [&](const auto &...pieces) {
    return fail(TPC_RT_MALFORMED, "\"", input.path(), "\": ", pieces...);
  };
  uint8_t start[12] = {};
  int64_t available = std::min<int64_t>(input.length(), sizeof(start));
  if (Status status = input.read(0, available, start))
    return status;
  int version = start[6];
  int64_t begin = version == 1 ? 10 : 12;
  if (available < begin)
    return error("truncated: the file has ", input.length(), " bytes");
  if (version < 1 || version > 3)
    return error("expected .npy version 1 to 3, got ", version);
  int64_t length = start[8] | start[9] << 8;
  if (version > 1)
    length |= static_cast<int64_t>(start[10]) << 16 |
              static_cast<int64_t>(start[11]) << 24;
  if (length > input.length() - begin)
    return error("truncated: the header has ", length, " bytes, the file has ",
                 input.length() - begin, " after its length");
  std::string text(length, '\0');
  if (Status status = input.read(begin, length, text.data()))
    return status;
  FileEntry entry;
  if (!DictParser(text).run(entry.dtypeText, entry.isColumnMajor, entry.shape))
    return error("the header is not a dict of descr, fortran_order and shape");
  for (const FormatType &type : formatTypes)
    if (entry.dtypeText == type.name)
      entry.dtype = type.dtype;
  if (!entry.dtype && entry.dtypeText[0] == '>')
    return fail(TPC_RT_UNSUPPORTED, "\"", input.path(),
                "\": unsupported: big-endian elements, got \"", entry.dtypeText,
                "\"; write it as \"<", entry.dtypeText.substr(1), "\"");
  if (!entry.dtype)
    return fail(TPC_RT_UNSUPPORTED, "\"", input.path(),
                "\": unknown element type \"", entry.dtypeText, "\"");
  std::optional<int64_t> bytes =
      checkedBytes(entry.shape, dtypeSize(*entry.dtype));
  if (!bytes)
    return error("shape ", listText(entry.shape), " has more than 2^63 bytes");
  entry.offset = begin + length;
  int64_t dataBytes = input.length() - entry.offset;
  if (dataBytes < *bytes)
    return error("truncated: shape ", listText(entry.shape), " of ",
                 entry.dtypeText, " takes ", *bytes, " bytes, the file has ",
                 dataBytes, " bytes of data");
  if (dataBytes > *bytes)
    return error("shape ", listText(entry.shape), " of ", entry.dtypeText,
                 " takes ", *bytes, " bytes, the file has ", dataBytes,
                 " bytes of data");
  file.entries.push_back(std::move(entry));
  return {};
}

Status npyHeader(const tpc_rt_tensor_t &tensor, std::string &header) {
  const char *descr = nullptr;
  for (const FormatType &type : formatTypes)
    if (type.dtype == tensor.dtype)
      descr = type.name;
  if (!descr)
    return fail(TPC_RT_UNSUPPORTED, "a .npy file cannot hold ",
                dtypeName(tensor.dtype), "; use .safetensors");
  std::string shape;
  for (int64_t extent : tensor.shape)
    shape += std::to_string(extent) + ", ";
  std::string dict = std::string("{'descr': '") + descr +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data begins at a multiple of 64 bytes; the header ends with a line feed.
  dict.append(63 - (10 + dict.size()) % 64, ' ');
  dict += '\n';
  header = std::string("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  header += dict;
  return {};
}

} // namespace tpc::rt
