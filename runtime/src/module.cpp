// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads artifacts and answers questions about them.

#include "module.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace tpc::rt {

Module::~Module() {
  if (library)
    dlclose(library);
}

/// An artifact has undefined tpc_rt_ symbols. A host that opened this library
/// with RTLD_LOCAL, as Python does, hides them unless we say otherwise.
static void exposeRuntimeSymbols() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&exposeRuntimeSymbols), &info) &&
      info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

static Status
finishModule(const std::string &manifestText,
             const std::function<tpc_rt_function_t(const char *)> &lookup,
             Module &module) {
  if (Status status = parseManifest(manifestText, module.manifest))
    return status;
  for (const Function &function : module.manifest.functions) {
    tpc_rt_function_t entry = lookup(function.symbol.c_str());
    if (!entry)
      return fail(TPC_RT_MALFORMED, "the artifact has no symbol \"",
                  function.symbol, "\" for its function \"", function.name,
                  "\"");
    module.entries.push_back(entry);
  }
  return {};
}

/// What a library that was cut short lacks is found missing when it is read,
/// by a signal.
static bool isCutShort(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  uint64_t size = static_cast<uint64_t>(file.tellg());
  auto read = [&](uint64_t at, auto &value) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char *>(&value), sizeof(value));
    return file.good();
  };
  Elf64_Ehdr head;
  if (!read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  for (uint64_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read(head.e_phoff + i * head.e_phentsize, part) ||
        part.p_offset > size || part.p_filesz > size - part.p_offset)
      return true;
  }
  return false;
}

static Status loadModule(const char *path, Module &module) {
  exposeRuntimeSymbols();
  std::string name = path ? path : "this executable";
  if (path) {
    if (access(path, R_OK) != 0)
      return fail(TPC_RT_NOT_FOUND, "cannot read the artifact \"", name,
                  "\": ", strerror(errno));
    if (isCutShort(name))
      return fail(TPC_RT_MALFORMED, "\"", name,
                  "\" is not a tpc artifact: the file is cut short");
    // Without a slash dlopen would search the library path.
    std::string file = name.find('/') == std::string::npos ? "./" + name : name;
    module.library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  } else {
    module.library = dlopen(nullptr, RTLD_NOW);
  }
  if (!module.library)
    return fail(TPC_RT_MALFORMED, "\"", name,
                "\" is not a tpc artifact: ", dlerror());
  auto *manifest =
      static_cast<const char *>(dlsym(module.library, "tpc_artifact_manifest"));
  if (!manifest)
    return fail(TPC_RT_MALFORMED, "\"", name,
                "\" is not a tpc artifact: it has no symbol "
                "tpc_artifact_manifest");
  module.data = [library = module.library](const char *symbol) {
    return static_cast<const void *>(dlsym(library, symbol));
  };
  return finishModule(
      manifest,
      [&](const char *symbol) {
        return reinterpret_cast<tpc_rt_function_t>(
            dlsym(module.library, symbol));
      },
      module);
}

static const Function *findFunction(const tpc_rt_module_t *module,
                                    int32_t number) {
  const auto &functions = module->object->manifest.functions;
  bool exists = number >= 0 && number < static_cast<int32_t>(functions.size());
  return exists ? &functions[number] : nullptr;
}

static Status describe(const std::vector<Value> *values, int32_t index,
                       tpc_rt_value_t *out) {
  if (!values)
    return fail(TPC_RT_INVALID_ARGUMENT, "no such function");
  if (index < 0 || index >= static_cast<int32_t>(values->size()))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a number below ",
                values->size(), ", got ", index);
  const Value &value = (*values)[index];
  tpc_rt_value_t full{};
  full.size = out->size;
  full.dtype = static_cast<int32_t>(value.dtype);
  full.name = value.name.c_str();
  full.rank = static_cast<int32_t>(value.shape.size());
  full.shape = value.shape.data();
  full.local_shape = value.localShape.data();
  full.local_bytes = value.localBytes;
  full.placement = value.placementText.c_str();
  full.is_param = value.isParam;
  full.is_donated = value.isDonated;
  if (out->size < static_cast<int32_t>(sizeof(int32_t)))
    return fail(TPC_RT_INVALID_ARGUMENT, "tpc_rt_value_t: size is not set");
  std::memcpy(out, &full,
              std::min<size_t>(sizeof(full), static_cast<size_t>(out->size)));
  return {};
}

} // namespace tpc::rt

using namespace tpc::rt;

extern "C" {

tpc_rt_status_t *tpc_rt_module_load(const char *path,
                                    tpc_rt_module_t **out_module) {
  *out_module = nullptr;
  return guard([&]() -> Status {
    auto module = std::make_shared<Module>();
    if (Status status = loadModule(path, *module))
      return status;
    *out_module = makeHandle<tpc_rt_module_t>(std::move(module));
    return {};
  });
}

tpc_rt_status_t *tpc_rt_module_create(const char *manifest,
                                      tpc_rt_lookup_t lookup, void *user,
                                      tpc_rt_module_t **out_module) {
  *out_module = nullptr;
  return guard([&]() -> Status {
    auto module = std::make_shared<Module>();
    auto find = [=](const char *symbol) { return lookup(user, symbol); };
    module->data = [=](const char *symbol) {
      return reinterpret_cast<const void *>(lookup(user, symbol));
    };
    if (Status status = finishModule(manifest, find, *module))
      return status;
    *out_module = makeHandle<tpc_rt_module_t>(std::move(module));
    return {};
  });
}

void tpc_rt_module_retain(tpc_rt_module_t *module) { retainHandle(module); }
void tpc_rt_module_release(tpc_rt_module_t *module) { releaseHandle(module); }

const char *tpc_rt_module_manifest(const tpc_rt_module_t *module) {
  return module->object->manifest.text.c_str();
}

const char *tpc_rt_module_reference(const tpc_rt_module_t *module) {
  return module->object->manifest.reference.c_str();
}

const char *tpc_rt_module_fingerprint(const tpc_rt_module_t *module) {
  return module->object->manifest.fingerprint.c_str();
}

const char *tpc_rt_module_target(const tpc_rt_module_t *module) {
  return targetName(module->object->manifest.target);
}

const char *tpc_rt_module_mesh(const tpc_rt_module_t *module) {
  return module->object->manifest.meshText.c_str();
}

int32_t tpc_rt_module_rank_count(const tpc_rt_module_t *module) {
  return module->object->manifest.mesh.numRanks();
}

int32_t tpc_rt_module_function_count(const tpc_rt_module_t *module) {
  return static_cast<int32_t>(module->object->manifest.functions.size());
}

int32_t tpc_rt_module_find_function(const tpc_rt_module_t *module,
                                    const char *name) {
  const auto &functions = module->object->manifest.functions;
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name)
      return static_cast<int32_t>(i);
  return -1;
}

const char *tpc_rt_module_function_name(const tpc_rt_module_t *module,
                                        int32_t function) {
  const Function *found = findFunction(module, function);
  return found ? found->name.c_str() : nullptr;
}

int32_t tpc_rt_module_argument_count(const tpc_rt_module_t *module,
                                     int32_t function) {
  const Function *found = findFunction(module, function);
  return found ? static_cast<int32_t>(found->arguments.size()) : 0;
}

int32_t tpc_rt_module_result_count(const tpc_rt_module_t *module,
                                   int32_t function) {
  const Function *found = findFunction(module, function);
  return found ? static_cast<int32_t>(found->results.size()) : 0;
}

tpc_rt_status_t *tpc_rt_module_argument(const tpc_rt_module_t *module,
                                        int32_t function, int32_t index,
                                        tpc_rt_value_t *out_value) {
  return guard([&] {
    const Function *found = findFunction(module, function);
    return describe(found ? &found->arguments : nullptr, index, out_value);
  });
}

tpc_rt_status_t *tpc_rt_module_result(const tpc_rt_module_t *module,
                                      int32_t function, int32_t index,
                                      tpc_rt_value_t *out_value) {
  return guard([&] {
    const Function *found = findFunction(module, function);
    return describe(found ? &found->results : nullptr, index, out_value);
  });
}

} // extern "C"
