// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field of the manifest that knows its place, for messages.
#ifndef TPC_RT_SRC_MANIFEST_FIELD_H
#define TPC_RT_SRC_MANIFEST_FIELD_H

#include "manifest.h"
#include <limits>
#include <nlohmann/json.hpp>

namespace tpc::rt {

using Json = nlohmann::json;

/// The first error ends the parse; it is carried out as an exception because
/// every field may fail, and caught in parseManifest.
struct ManifestError {
  Status status;
};

/// A JSON value and where it stands, such as `functions[0].arguments[1]`.
struct Field {
  const Json &value;
  std::string path;

  template <typename... Pieces>
  [[noreturn]] void fail(const Pieces &...pieces) const {
    throw ManifestError{rt::fail(
        TPC_RT_MALFORMED, "manifest: ", path.empty() ? "top level" : path, ": ",
        pieces...)};
  }

  [[noreturn]] void failType(const char *expected) const {
    fail("expected ", expected, ", got ", excerpt());
  }

  std::string excerpt() const {
    std::string dump =
        value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return dump.size() > 40 ? dump.substr(0, 40) + "..." : dump;
  }

  bool has(const char *key) const {
    return value.is_object() && value.contains(key);
  }

  Field operator[](const char *key) const {
    if (!value.is_object())
      failType("an object");
    auto it = value.find(key);
    if (it == value.end())
      fail("expected a field \"", key, "\", got none");
    return {*it, path.empty() ? key : path + "." + key};
  }

  std::string string() const {
    if (!value.is_string())
      failType("a string");
    return value.get<std::string>();
  }

  bool boolean() const {
    if (!value.is_boolean())
      failType("true or false");
    return value.get<bool>();
  }

  int64_t integer(int64_t least, int64_t most) const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() >
             static_cast<uint64_t>(std::numeric_limits<int64_t>::max())))
      failType("an integer");
    int64_t number = value.get<int64_t>();
    if (number < least || number > most)
      fail("expected an integer from ", least, " to ", most, ", got ", number);
    return number;
  }

  template <typename Body> void forEach(Body &&body) const {
    if (!value.is_array())
      failType("an array");
    size_t index = 0;
    for (const Json &item : value)
      body(Field{item, path + "[" + std::to_string(index++) + "]"});
  }
};

constexpr int64_t anyCount = std::numeric_limits<int64_t>::max();

/// Reads what a manifest for a device with its own memory has besides:
/// constants, images and kernels.
void parseDeviceCode(const Field &top, Manifest &manifest);

} // namespace tpc::rt

#endif // TPC_RT_SRC_MANIFEST_FIELD_H
