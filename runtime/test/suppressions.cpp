// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the thread sanitizer must not judge: it sees neither the locks nor the
// atomics inside libraries that are not built for it, so calls they make to
// memcpy or free look like races. Our own accesses stay under watch.

extern "C" __attribute__((visibility("default"))) const char *
__tsan_default_suppressions() {
  return "called_from_lib:libdnnl.so\n"
         "called_from_lib:libgomp.so\n";
}

// Children that tests fork end without the sanitizer's exit status otherwise.
extern "C" __attribute__((visibility("default"))) const char *
__tsan_default_options() {
  return "halt_on_error=1";
}
