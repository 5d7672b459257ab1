// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds arguments in files and makes up the others.

#include "Inputs.h"
#include <cstring>

namespace tpc::run {

/// The finaliser of SplitMix64: every bit of the result depends on every bit
/// of `x`.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static uint64_t keyOf(uint64_t seed, const char *name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; *name; ++name)
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  return mix(hash ^ mix(seed + 0x9e3779b97f4a7c15));
}

/// The bits of a float of magnitude `2^-shift * integer`, cut down to the upper
/// half for bf16.
static uint16_t bf16Bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return static_cast<uint16_t>(word >> 16);
}

/// The half equal to `step * 2^-10`, for -1024 <= step < 1024.
static uint16_t f16Bits(int32_t step) {
  if (step == 0)
    return 0;
  uint32_t sign = step < 0 ? 0x8000 : 0;
  uint32_t magnitude = step < 0 ? -step : step;
  int32_t exponent = 31 - __builtin_clz(magnitude);
  uint32_t mantissa = (magnitude << (10 - exponent)) & 0x3ff;
  return static_cast<uint16_t>(sign | (exponent + 5) << 10 | mantissa);
}

Tensor randomTensor(const tpc_rt_value_t &value, uint64_t seed) {
  tpc_rt_tensor_t *raw = nullptr;
  check(tpc_rt_tensor_create(value.dtype, value.rank, value.shape, &raw));
  Tensor tensor(raw);
  void *data = tpc_rt_tensor_data(raw);
  int64_t count = tpc_rt_tensor_count(raw);
  uint64_t key = keyOf(seed, value.name);
  auto fill = [&](auto type, auto convert) {
    auto *out = static_cast<decltype(type) *>(data);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<decltype(type)>(
          convert(mix(key + static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15)));
  };
  // Uniform over the multiples of 2^-23 (f32, f64), 2^-10 (f16) and 2^-7 (bf16)
  // in [-1, 1): the finest steps the types hold everywhere, so none is rounded.
  auto unit = [](uint64_t bits) {
    return static_cast<double>(bits >> 40) / 8388608.0 - 1.0;
  };
  auto bit = [](uint64_t bits) { return bits >> 63; };
  switch (value.dtype) {
  case TPC_RT_F32:
    fill(float{}, unit);
    break;
  case TPC_RT_F64:
    fill(double{}, unit);
    break;
  case TPC_RT_F16:
    fill(uint16_t{}, [](uint64_t bits) {
      return f16Bits(static_cast<int32_t>(bits >> 53) - 1024);
    });
    break;
  case TPC_RT_BF16:
    fill(uint16_t{}, [](uint64_t bits) {
      return bf16Bits(static_cast<float>(bits >> 56) / 128.0f - 1.0f);
    });
    break;
  case TPC_RT_I1:
  case TPC_RT_I8:
    fill(int8_t{}, bit);
    break;
  case TPC_RT_I16:
    fill(int16_t{}, bit);
    break;
  case TPC_RT_I32:
    fill(int32_t{}, bit);
    break;
  case TPC_RT_I64:
    fill(int64_t{}, bit);
    break;
  }
  return tensor;
}

Inputs::Inputs(const Options &options)
    : fillsRandomly(options.seed || options.inputs.empty()),
      seed(options.seed.value_or(0)) {
  for (const std::string &input : options.inputs) {
    // NAME=FILE.npy; names are dotted identifiers, files may hold any '='.
    size_t equals = input.find('=');
    bool isNamed = equals != std::string::npos && input.size() > 4 &&
                   input.compare(input.size() - 4, 4, ".npy") == 0;
    std::string path = isNamed ? input.substr(equals + 1) : input;
    tpc_rt_file_t *file = nullptr;
    check(tpc_rt_file_open(path.c_str(), &file));
    files.emplace_back(file);
    for (int32_t i = 0; i < tpc_rt_file_count(file); ++i) {
      tpc_rt_file_entry_t entry{};
      entry.size = sizeof(entry);
      check(tpc_rt_file_entry(file, i, &entry));
      std::string name = isNamed ? input.substr(0, equals) : entry.name;
      if (name.empty())
        throw usageError("--inputs: expected NAME=" + path +
                         ", since a .npy file holds no name");
      sources[name] = {file, i};
      if (isNamed)
        namedOnCommandLine.push_back(name);
    }
  }
}

static tpc_rt_value_t argumentOf(tpc_rt_module_t *module, int32_t function,
                                 int32_t index) {
  tpc_rt_value_t value{};
  value.size = sizeof(value);
  check(tpc_rt_module_argument(module, function, index, &value));
  return value;
}

void Inputs::checkNames(tpc_rt_module_t *module, int32_t function) const {
  int32_t count = tpc_rt_module_argument_count(module, function);
  std::string known;
  for (int32_t i = 0; i < count; ++i) {
    std::string name = argumentOf(module, function, i).name;
    known += (i ? ", " : "") + name;
    if (!fillsRandomly && !sources.count(name))
      throw failure("argument \"" + name +
                    "\" is in no inputs file; --seed gives random values to "
                    "those that are missing");
  }
  for (const std::string &name : namedOnCommandLine) {
    bool exists = false;
    for (int32_t i = 0; i < count; ++i)
      exists |= name == argumentOf(module, function, i).name;
    if (!exists)
      throw failure("--inputs: expected an argument of the function (" + known +
                    "), got \"" + name + "\"");
  }
}

void Inputs::set(tpc_rt_call_t *call, tpc_rt_module_t *module,
                 int32_t function) const {
  int32_t count = tpc_rt_module_argument_count(module, function);
  for (int32_t i = 0; i < count; ++i) {
    tpc_rt_value_t value = argumentOf(module, function, i);
    if (auto it = sources.find(value.name); it != sources.end()) {
      check(tpc_rt_call_read_argument(call, i, it->second.file,
                                      it->second.entry));
      continue;
    }
    Tensor tensor = randomTensor(value, seed);
    check(tpc_rt_call_set_argument(call, i, tensor.get()));
  }
}

} // namespace tpc::run
