// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that the runtime brings for its own use, as a host image: the
// same source that nvcc compiles for GPUs. The runtime asks a driver whose
// device has capability 0 for `tpc_sim_own_image`.

#include "host_image.h"
#include "own_kernels.h"
#include <string>

using namespace tpc::rt;
using namespace tpc::rt::cuda;

namespace {

struct Image {
  tpc_sim_image head;
  tpc_sim_entry entries[96];
};

extern Image image;

struct WatchedMemory {
  template <typename T> T load(const T *pointer) const {
    image.head.api->touch(pointer, sizeof(T), TPC_SIM_READ);
    return *pointer;
  }
  template <typename T> void store(T *pointer, T value) const {
    image.head.api->touch(pointer, sizeof(T), TPC_SIM_WRITE);
    *pointer = value;
  }
};

int64_t thisThread() {
  return image.head.api->block() * ownBlock + image.head.api->thread();
}

template <typename T, Reduction R> void move(void **params) {
  moveThread<T, R>(*static_cast<MoveArgs *>(params[0]), thisThread(),
                   WatchedMemory());
}

template <typename T, typename C> void multiply(void **params) {
  productThread<T, C>(*static_cast<ProductArgs *>(params[0]), thisThread(),
                      WatchedMemory());
}

template <typename T, typename C> void addRows(void **params) {
  sumThread<T, C>(*static_cast<SumArgs *>(params[0]), thisThread(),
                  WatchedMemory());
}

template <typename C> void finish(void **params) {
  epilogueThread<C>(*static_cast<EpilogueArgs *>(params[0]), thisThread(),
                    WatchedMemory());
}

/// One parameter of many words.
template <typename Args> const char *accessOf() {
  static const std::string access =
      "s" + std::string(sizeof(Args) / 8 - 1, '+');
  return access.c_str();
}

#define MOVE(dtype, type, reduction)                                           \
  {"tpc_move_" #dtype "_" #reduction, move<type, Reduction::reduction>,        \
   accessOf<MoveArgs>(), 1},
#define PRODUCT(dtype, type, cDtype, cType)                                    \
  {"tpc_product_" #dtype "_" #cDtype, multiply<type, cType>,                   \
   accessOf<ProductArgs>(), 1},
#define SUM(dtype, type, cDtype, cType)                                        \
  {"tpc_sum_" #dtype "_" #cDtype, addRows<type, cType>, accessOf<SumArgs>(), 1},
#define EPILOGUE(dtype, type)                                                  \
  {"tpc_epilogue_" #dtype, finish<type>, accessOf<EpilogueArgs>(), 1},
#define ONE_MOVE(dtype, type, reduction) +1
#define ONE_PRODUCT(dtype, type, cDtype, cType) +1
#define ONE_EPILOGUE(dtype, type) +1

constexpr int64_t numEntries =
    0 TPC_RT_OWN_KERNELS(ONE_MOVE, ONE_PRODUCT, ONE_PRODUCT, ONE_EPILOGUE);
static_assert(numEntries <= std::extent_v<decltype(Image::entries)>);

Image image = {{TPC_SIM_MAGIC, numEntries, nullptr},
               {TPC_RT_OWN_KERNELS(MOVE, PRODUCT, SUM, EPILOGUE)}};

} // namespace

extern "C" __attribute__((visibility("default"))) void *tpc_sim_own_image() {
  return &image;
}
