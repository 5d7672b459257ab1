// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that a lowered module carries for the report and the artifact.
#ifndef TPC_DIALECT_TP_LOWEREDNAMES_H
#define TPC_DIALECT_TP_LOWEREDNAMES_H

#include "llvm/ADT/StringRef.h"

namespace tpc {

/// On a function: its attentions, a dictionary each with `loc`, `gradient` (a
/// boolean) and `reason` (why it is not one call; empty when it is).
inline constexpr llvm::StringLiteral kAttentions = "tp.attentions";
/// On a lowered function: its products, a dictionary each with `loc`, `dtype`,
/// `m`, `n`, `k` and `epilogue`; only for devices.
inline constexpr llvm::StringLiteral kProducts = "tp.products";
/// On a lowered function: the size of its workspace.
inline constexpr llvm::StringLiteral kWorkspaceBytes = "tp.workspace_bytes";
/// On a lowered function: the number of its events, and (a unit) that it reads
/// elements on the host.
inline constexpr llvm::StringLiteral kEvents = "tp.events";
inline constexpr llvm::StringLiteral kHostReads = "tp.host_reads";

/// Where device kernels are between their emission and code generation, and
/// what a kernel of it says for the manifest, beside `known_block_size` and
/// `known_grid_size`: a dictionary with `kind` (a string), `read_bytes`,
/// `write_bytes`, `least_read_bytes` and `least_write_bytes` (i64), `launches`
/// (in one call of each function) and, where it takes dynamic shared memory,
/// `shared_bytes` (i64). Kernels have the numbers of their order in the module.
inline constexpr llvm::StringLiteral kDeviceModule = "tpc_device";
inline constexpr llvm::StringLiteral kKernelInfo = "tp.kernel";
/// The symbol of the host image.
inline constexpr llvm::StringLiteral kHostImage = "tpc_image_host";
/// On a constant global: its number in the manifest's list of constants.
inline constexpr llvm::StringLiteral kConstantIndex = "tp.constant";

} // namespace tpc

#endif // TPC_DIALECT_TP_LOWEREDNAMES_H
