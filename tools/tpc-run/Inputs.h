// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the arguments of a function come from: files, or random numbers.
#ifndef TPC_RUN_INPUTS_H
#define TPC_RUN_INPUTS_H

#include "Handles.h"
#include "Options.h"
#include <map>

namespace tpc::run {

/// Sets the arguments of calls, the same values every time.
class Inputs {
public:
  /// Opens the files of `options`.
  explicit Inputs(const Options &options);

  /// Fails on the first argument that no file has while random values are not
  /// asked for, and on names given with NAME=FILE that are no argument.
  void checkNames(tpc_rt_module_t *module, int32_t function) const;

  /// Sets all arguments of `call`, a call of `function`.
  void set(tpc_rt_call_t *call, tpc_rt_module_t *module,
           int32_t function) const;

private:
  struct Source {
    tpc_rt_file_t *file;
    int32_t entry;
  };
  std::vector<File> files;
  /// By argument name; a later file has replaced an earlier one.
  std::map<std::string, Source> sources;
  std::vector<std::string> namedOnCommandLine;
  bool fillsRandomly;
  uint64_t seed;
};

/// A tensor of random numbers that depend on nothing but seed, name and index:
/// the same on every machine, and the same value for f32 and f64.
Tensor randomTensor(const tpc_rt_value_t &value, uint64_t seed);

} // namespace tpc::run

#endif // TPC_RUN_INPUTS_H
