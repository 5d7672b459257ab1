/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The public API of the tpc runtime, for hosts that load and run artifacts.
 *
 * Rules, the same everywhere: handles are opaque and reference counted (create
 * or load, retain, release; release of NULL does nothing). A function that may
 * fail returns a status; NULL means it succeeded, anything else belongs to the
 * caller. Inputs come first; an `out_` parameter comes last and is NULL after a
 * failure. Sizes are bytes, counts are elements, both int64_t. Structs that may
 * grow begin with their size, which the caller sets. Strings returned live as
 * long as the handle they came from. No handle but a world may be used by two
 * threads at once, and a world runs one call at a time.
 */
#ifndef TPC_RT_RT_H
#define TPC_RT_RT_H

#include "tpc_rt/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TPC_RT_CHECKED TPC_RT_API __attribute__((warn_unused_result))
#else
#define TPC_RT_CHECKED TPC_RT_API
#endif

/*===--- status -----------------------------------------------------------===*/

typedef struct tpc_rt_status_t tpc_rt_status_t;

typedef enum tpc_rt_code_t {
  TPC_RT_OK = 0,
  /* An argument of the call is wrong: fix the call. */
  TPC_RT_INVALID_ARGUMENT = 1,
  /* A file, tensor, function or symbol does not exist. */
  TPC_RT_NOT_FOUND = 2,
  /* A file or manifest breaks its format. */
  TPC_RT_MALFORMED = 3,
  /* Compiled for another version of the ABI: compile again. */
  TPC_RT_VERSION = 4,
  /* The ranks do not run the same program. */
  TPC_RT_MISMATCH = 5,
  /* A rank did not arrive within the deadline. */
  TPC_RT_TIMEOUT = 6,
  /* A rank failed or ended early. */
  TPC_RT_RANK_FAILED = 7,
  /* Valid, but this runtime does not do it. */
  TPC_RT_UNSUPPORTED = 8,
  /* The operating system refused to read or write. */
  TPC_RT_IO = 9,
  TPC_RT_OUT_OF_MEMORY = 10,
  /* A bug in tpc. */
  TPC_RT_INTERNAL = 11
} tpc_rt_code_t;

/* TPC_RT_OK for NULL. */
TPC_RT_API tpc_rt_code_t tpc_rt_status_code(const tpc_rt_status_t *status);
/* One sentence for the user, without a final full stop; "" for NULL. */
TPC_RT_API const char *tpc_rt_status_message(const tpc_rt_status_t *status);
/* The rank at fault, or -1 when no single rank is. */
TPC_RT_API int32_t tpc_rt_status_rank(const tpc_rt_status_t *status);
/* What led to it, or NULL; belongs to `status`. */
TPC_RT_API const tpc_rt_status_t *
tpc_rt_status_cause(const tpc_rt_status_t *status);
TPC_RT_API void tpc_rt_status_release(tpc_rt_status_t *status);

/*===--- element types ----------------------------------------------------===*/

/* "f32", "i1", ...; NULL for a number that is none. */
TPC_RT_API const char *tpc_rt_dtype_name(int32_t dtype);
/* Bytes of one element; 0 for a number that is none. */
TPC_RT_API int64_t tpc_rt_dtype_size(int32_t dtype);

/*===--- tensors on the host ----------------------------------------------===*/

typedef struct tpc_rt_tensor_t tpc_rt_tensor_t;

/* A dense row-major tensor of zeros. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_tensor_create(int32_t dtype, int32_t rank, const int64_t *shape,
                     tpc_rt_tensor_t **out_tensor);
TPC_RT_API void tpc_rt_tensor_retain(tpc_rt_tensor_t *tensor);
TPC_RT_API void tpc_rt_tensor_release(tpc_rt_tensor_t *tensor);
TPC_RT_API int32_t tpc_rt_tensor_dtype(const tpc_rt_tensor_t *tensor);
TPC_RT_API int32_t tpc_rt_tensor_rank(const tpc_rt_tensor_t *tensor);
TPC_RT_API const int64_t *tpc_rt_tensor_shape(const tpc_rt_tensor_t *tensor);
TPC_RT_API int64_t tpc_rt_tensor_count(const tpc_rt_tensor_t *tensor);
TPC_RT_API void *tpc_rt_tensor_data(tpc_rt_tensor_t *tensor);

/*===--- tensor files: .safetensors and .npy ------------------------------===*/

typedef struct tpc_rt_file_t tpc_rt_file_t;

typedef struct tpc_rt_file_entry_t {
  int32_t size;
  /* -1: a type the format knows and tpc does not; reading it is refused. */
  int32_t dtype;
  /* "" for the one array of a .npy file. */
  const char *name;
  const char *dtype_text;
  int32_t rank;
  const int64_t *shape;
} tpc_rt_file_entry_t;

/* Reads and checks the header; the format is known by its first bytes. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_file_open(const char *path,
                                                 tpc_rt_file_t **out_file);
TPC_RT_API void tpc_rt_file_retain(tpc_rt_file_t *file);
TPC_RT_API void tpc_rt_file_release(tpc_rt_file_t *file);
TPC_RT_API int32_t tpc_rt_file_count(const tpc_rt_file_t *file);
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_file_entry(const tpc_rt_file_t *file, int32_t index,
                  tpc_rt_file_entry_t *out_entry);
/* The entry called `name`, or -1. */
TPC_RT_API int32_t tpc_rt_file_find(const tpc_rt_file_t *file,
                                    const char *name);
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_file_read(tpc_rt_file_t *file,
                                                 int32_t index,
                                                 tpc_rt_tensor_t **out_tensor);
/* Writes a whole file; the extension of `path` names the format. A .npy file
 * holds one tensor, and its name is not written. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_file_write(const char *path, int32_t count, const char *const *names,
                  tpc_rt_tensor_t *const *tensors);

/*===--- modules ----------------------------------------------------------===*/

typedef struct tpc_rt_module_t tpc_rt_module_t;

/* An argument or result of a function. */
typedef struct tpc_rt_value_t {
  int32_t size;
  int32_t dtype;
  const char *name;
  int32_t rank;
  const int64_t *shape;
  /* Of every rank's padded buffer. */
  const int64_t *local_shape;
  int64_t local_bytes;
  /* `[tp: S(0)]` */
  const char *placement;
  int32_t is_param;
  int32_t is_donated;
} tpc_rt_value_t;

/* Finds the symbol `name` of a linked or generated program; NULL if absent. */
typedef tpc_rt_function_t (*tpc_rt_lookup_t)(void *user, const char *name);

/* Loads an artifact; `path` NULL means the running executable. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_module_load(const char *path, tpc_rt_module_t **out_module);
/* A module from a manifest and functions that are in memory already. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_module_create(const char *manifest, tpc_rt_lookup_t lookup, void *user,
                     tpc_rt_module_t **out_module);
TPC_RT_API void tpc_rt_module_retain(tpc_rt_module_t *module);
TPC_RT_API void tpc_rt_module_release(tpc_rt_module_t *module);

TPC_RT_API const char *tpc_rt_module_manifest(const tpc_rt_module_t *module);
/* The one-device program as MLIR text; "" when the artifact carries none. */
TPC_RT_API const char *tpc_rt_module_reference(const tpc_rt_module_t *module);
TPC_RT_API const char *tpc_rt_module_fingerprint(const tpc_rt_module_t *module);
/* The device it is compiled for: "cpu" or "cuda". */
TPC_RT_API const char *tpc_rt_module_target(const tpc_rt_module_t *module);
/* `dp=2,tp=4` */
TPC_RT_API const char *tpc_rt_module_mesh(const tpc_rt_module_t *module);
TPC_RT_API int32_t tpc_rt_module_rank_count(const tpc_rt_module_t *module);
TPC_RT_API int32_t tpc_rt_module_function_count(const tpc_rt_module_t *module);
/* The function called `name`, or -1. */
TPC_RT_API int32_t tpc_rt_module_find_function(const tpc_rt_module_t *module,
                                               const char *name);
/* NULL or 0 for a function that does not exist. */
TPC_RT_API const char *
tpc_rt_module_function_name(const tpc_rt_module_t *module, int32_t function);
TPC_RT_API int32_t tpc_rt_module_argument_count(const tpc_rt_module_t *module,
                                                int32_t function);
TPC_RT_API int32_t tpc_rt_module_result_count(const tpc_rt_module_t *module,
                                              int32_t function);
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_module_argument(const tpc_rt_module_t *module, int32_t function,
                       int32_t index, tpc_rt_value_t *out_value);
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_module_result(const tpc_rt_module_t *module, int32_t function,
                     int32_t index, tpc_rt_value_t *out_value);

/* Takes a line of text, without its end. */
typedef void (*tpc_rt_write_t)(void *user, const char *line);

/* Writes what the function enqueues on one rank, command by command, without a
 * device and without other ranks. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_module_dry_run(tpc_rt_module_t *module, int32_t function, int32_t rank,
                      tpc_rt_write_t write, void *user);

/*===--- worlds: the ranks ------------------------------------------------===*/

typedef struct tpc_rt_world_t tpc_rt_world_t;

/* Who does what a rank of the cpu enqueues beside its compute stream. Results
 * are the same bit by bit. */
enum {
  /* Threads, if there are cores for all of them, or else the rank's own. */
  TPC_RT_STREAMS_AUTO = 0,
  /* The rank's own thread, at once. */
  TPC_RT_STREAMS_INLINE = 1,
  /* A thread per stream, started for functions that use several. */
  TPC_RT_STREAMS_THREADS = 2
};

typedef struct tpc_rt_world_options_t {
  int32_t size;
  int32_t ranks;
  /* 0: cores / ranks, at least 1. */
  int32_t threads_per_rank;
  /* 1: keep the times of functions, collectives and kernels. */
  int32_t profile;
  /* The longest wait for another rank; 0: 60 seconds. */
  double deadline_seconds;
  /* NULL or "local": the ranks are threads of this process. */
  const char *communicator;
  /* What ranks compute on: NULL or "cpu", or "cuda". A call needs a world on
   * the device its module is compiled for; see tpc_rt_module_target. */
  const char *device;
  /* 1: enqueue a function's work anew in every run; otherwise devices that can
   * record it do, and replay the record. */
  int32_t no_graphs;
  /* A world of several processes, one rank in each: where they find rank 0,
   * `tcp:HOST:PORT` or `file:PATH`. NULL: this process has all ranks. */
  const char *rendezvous;
  /* The same in all processes of a run and in no other run; NULL: none. */
  const char *job;
  /* Of several processes: the rank of this one, and its number among those of
   * this machine. */
  int32_t rank;
  int32_t local_rank;
  /* TPC_RT_STREAMS_... */
  int32_t streams;
} tpc_rt_world_options_t;

TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_world_create(const tpc_rt_world_options_t *options,
                    tpc_rt_world_t **out_world);
TPC_RT_API void tpc_rt_world_retain(tpc_rt_world_t *world);
TPC_RT_API void tpc_rt_world_release(tpc_rt_world_t *world);
TPC_RT_API int32_t tpc_rt_world_rank_count(const tpc_rt_world_t *world);
/* The rank of this process; 0 when it has all of them. */
TPC_RT_API int32_t tpc_rt_world_first_rank(const tpc_rt_world_t *world);
/* Ends a world of several processes: each says how it went (NULL: well), and
 * all fail when one did. Waits for processes that are alive. A second call
 * gives what the first did. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_world_finish(tpc_rt_world_t *world,
                                                    const char *failure);
TPC_RT_API int32_t tpc_rt_world_threads_per_rank(const tpc_rt_world_t *world);
/* Writes what was kept in the form of Chrome's trace viewer. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_world_write_trace(tpc_rt_world_t *world,
                                                         const char *path);

/*===--- calls: a function with its buffers -------------------------------===*/

typedef struct tpc_rt_call_t tpc_rt_call_t;

/* Allocates the buffers of all ranks, zeroed, and plans the collectives. The
 * call keeps world and module alive. May be run any number of times. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_call_create(tpc_rt_world_t *world,
                                                   tpc_rt_module_t *module,
                                                   int32_t function,
                                                   tpc_rt_call_t **out_call);
TPC_RT_API void tpc_rt_call_retain(tpc_rt_call_t *call);
TPC_RT_API void tpc_rt_call_release(tpc_rt_call_t *call);

/* Gives an argument as a global tensor: every rank gets its padded part. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_call_set_argument(tpc_rt_call_t *call, int32_t index,
                         tpc_rt_tensor_t *tensor);
/* The same from a file; a rank reads only its part. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_call_read_argument(tpc_rt_call_t *call,
                                                          int32_t index,
                                                          tpc_rt_file_t *file,
                                                          int32_t entry);
/* Runs on all ranks. After a failure the results have no meaning. */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_call_run(tpc_rt_call_t *call);
/* The result in global form. In a world of several processes all must ask, and
 * rank 0's gets it; the others get NULL. */
TPC_RT_CHECKED tpc_rt_status_t *
tpc_rt_call_get_result(tpc_rt_call_t *call, int32_t index,
                       tpc_rt_tensor_t **out_tensor);
/* Fails, naming the ranks, unless replicas of the result are equal bit by bit.
 */
TPC_RT_CHECKED tpc_rt_status_t *tpc_rt_call_check_replicas(tpc_rt_call_t *call,
                                                           int32_t index);

/* One rank's padded buffer, for hosts that keep their data in local form; NULL
 * when there is none of that number, or it is another process's. */
TPC_RT_API void *tpc_rt_call_argument_buffer(tpc_rt_call_t *call, int32_t rank,
                                             int32_t index);
TPC_RT_API void *tpc_rt_call_result_buffer(tpc_rt_call_t *call, int32_t rank,
                                           int32_t index);

#ifdef __cplusplus
}
#endif

#endif /* TPC_RT_RT_H */
