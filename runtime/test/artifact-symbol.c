/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * An artifact whose manifest names a function that it does not have. */
__attribute__((visibility("default"))) const char tpc_artifact_manifest[] =
    "{\"abi\":3,\"fingerprint\":\"0\",\"mesh\":[],\"functions\":[{"
    "\"name\":\"f\",\"symbol\":\"missing\",\"workspace_bytes\":0,"
    "\"arguments\":[],\"results\":[]}],\"collectives\":[]}";
