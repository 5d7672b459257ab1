// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The safetensors format: eight bytes of header length, a JSON header, data.
// A header is only believed where the file bears it out: the tensors must tile
// the data exactly, without overlap, gap or rest.

#include "file.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tpc::rt {

using Json = nlohmann::json;

namespace {

struct FormatType {
  const char *name;
  int64_t size;
  std::optional<DType> dtype;
};

const FormatType formatTypes[] = {
    {"F32", 4, DType::F32},      {"F64", 8, DType::F64},
    {"F16", 2, DType::F16},      {"BF16", 2, DType::BF16},
    {"BOOL", 1, DType::I1},      {"I8", 1, DType::I8},
    {"I16", 2, DType::I16},      {"I32", 4, DType::I32},
    {"I64", 8, DType::I64},      {"U8", 1, std::nullopt},
    {"U16", 2, std::nullopt},    {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},    {"F8_E4M3", 1, std::nullopt},
    {"F8_E5M2", 1, std::nullopt}};

/// The limit of the format's own library.
constexpr int64_t maxHeaderBytes = 100000000;

class HeaderParser {
public:
  HeaderParser(TensorFile &file, int64_t dataBegin)
      : file(file), dataBegin(dataBegin),
        dataBytes(file.input.length() - dataBegin) {}

  Status run(const Json &header) {
    for (const auto &[name, fields] : header.items()) {
      if (name == "__metadata__")
        continue;
      if (Status status = parseEntry(name, fields))
        return status;
    }
    // Offsets are relative to the data until here.
    std::sort(order.begin(), order.end());
    int64_t end = 0;
    const std::string *previous = nullptr;
    for (const auto &[begin, finish, index] : order) {
      const std::string &name = file.entries[index].name;
      if (begin < end)
        return error("tensor \"", name, "\" overlaps tensor \"", *previous,
                     "\"");
      if (begin > end)
        return error("bytes ", end, " to ", begin,
                     " of the data belong to no tensor");
      end = finish;
      previous = &name;
    }
    if (end != dataBytes)
      return error("the tensors take ", end, " bytes, the file has ", dataBytes,
                   " bytes of data");
    return {};
  }

private:
  template <typename... Pieces> Status error(const Pieces &...pieces) {
    return fail(TPC_RT_MALFORMED, "\"", file.input.path(), "\": ", pieces...);
  }

  static std::optional<int64_t> asCount(const Json &value) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
      return std::nullopt;
    return value.get<int64_t>();
  }

  Status parseEntry(const std::string &name, const Json &fields) {
    if (!fields.is_object() || !fields.contains("dtype") ||
        !fields.contains("shape") || !fields.contains("data_offsets"))
      return error("tensor \"", name,
                   "\": expected the fields dtype, shape and data_offsets");
    const Json &dtype = fields["dtype"];
    const FormatType *type = nullptr;
    for (const FormatType &candidate : formatTypes)
      if (dtype.is_string() && dtype.get<std::string>() == candidate.name)
        type = &candidate;
    if (!type)
      return error("tensor \"", name, "\": unknown element type ",
                   dtype.dump(-1, ' ', true, Json::error_handler_t::replace));
    FileEntry entry;
    entry.name = name;
    entry.dtype = type->dtype;
    entry.dtypeText = type->name;
    if (!fields["shape"].is_array())
      return error("tensor \"", name, "\": expected a shape that is a list");
    for (const Json &item : fields["shape"]) {
      std::optional<int64_t> extent = asCount(item);
      if (!extent)
        return error("tensor \"", name,
                     "\": expected a shape of non-negative integers");
      entry.shape.push_back(*extent);
    }
    std::optional<int64_t> bytes = checkedBytes(entry.shape, type->size);
    if (!bytes)
      return error("tensor \"", name, "\": shape ", listText(entry.shape),
                   " has more than 2^63 bytes");
    const Json &offsets = fields["data_offsets"];
    std::optional<int64_t> begin, end;
    if (offsets.is_array() && offsets.size() == 2) {
      begin = asCount(offsets[0]);
      end = asCount(offsets[1]);
    }
    if (!begin || !end || *begin > *end)
      return error("tensor \"", name,
                   "\": expected data_offsets [begin, end] with begin <= end");
    if (*end > dataBytes)
      return error("truncated: tensor \"", name, "\" ends at byte ", *end,
                   " of the data, the file has ", dataBytes);
    if (*end - *begin != *bytes)
      return error("tensor \"", name, "\": shape ", listText(entry.shape),
                   " of ", type->name, " takes ", *bytes,
                   " bytes, data_offsets give ", *end - *begin);
    entry.offset = dataBegin + *begin;
    order.emplace_back(*begin, *end, file.entries.size());
    file.entries.push_back(std::move(entry));
    return {};
  }

  TensorFile &file;
  int64_t dataBegin;
  int64_t dataBytes;
  std::vector<std::tuple<int64_t, int64_t, size_t>> order;
};

} // namespace

Status parseSafetensors(TensorFile &file) {
  const Input &input = file.input;
  auto error = [&](const auto &...pieces) {
    return fail(TPC_RT_MALFORMED, "\"", input.path(), "\": ", pieces...);
  };
  if (input.length() < 8)
    return error("not a .safetensors or .npy file: it has ", input.length(),
                 " bytes");
  uint8_t lengthBytes[8];
  if (Status status = input.read(0, 8, lengthBytes))
    return status;
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | lengthBytes[i];
  if (length > static_cast<uint64_t>(maxHeaderBytes))
    return error("not a .safetensors or .npy file: its header would have ",
                 length, " bytes");
  if (static_cast<int64_t>(length) > input.length() - 8)
    return error("truncated: the header has ", length, " bytes, the file has ",
                 input.length() - 8,
                 " after its "
                 "length");
  std::string text(length, '\0');
  if (Status status = input.read(8, static_cast<int64_t>(length), text.data()))
    return status;
  // JSON objects keep the last of equal keys; a tensor must not vanish so.
  std::set<std::string> names;
  std::string repeated;
  auto onEvent = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get<std::string>()).second)
      repeated = parsed.get<std::string>();
    return true;
  };
  Json header = Json::parse(text, onEvent, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object())
    return error("not a .safetensors file: its header is not a JSON object");
  if (!repeated.empty())
    return error("tensor \"", repeated, "\" is listed twice");
  return HeaderParser(file, 8 + static_cast<int64_t>(length)).run(header);
}

Status safetensorsHeader(const std::vector<NamedTensor> &tensors,
                         std::string &header) {
  // Ordered, so that the header lists tensors as the data holds them.
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  int64_t offset = 0;
  for (const NamedTensor &named : tensors) {
    if (json.contains(named.name))
      return fail(TPC_RT_INVALID_ARGUMENT, "expected different names, got \"",
                  named.name, "\" twice");
    const FormatType *type = std::find_if(
        std::begin(formatTypes), std::end(formatTypes),
        [&](const FormatType &t) { return t.dtype == named.tensor->dtype; });
    int64_t bytes = named.tensor->bytes();
    json[named.name] = {{"dtype", type->name},
                        {"shape", named.tensor->shape},
                        {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = json.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  // Data begins at a multiple of 8 bytes.
  text.append((8 - text.size() % 8) % 8, ' ');
  header.clear();
  for (int i = 0; i < 8; ++i)
    header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  header += text;
  return {};
}

} // namespace tpc::rt
