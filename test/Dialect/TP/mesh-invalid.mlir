// [M1], [M2], and more ranks than can be numbered.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected different mesh axes, got axis "tp" twice}}
tp.mesh @axis_twice ["tp" = 2, "tp" = 4]

// -----

// expected-error @below {{expected a name for every mesh axis, got an empty one}}
tp.mesh @axis_without_name ["" = 2]

// -----

// expected-error @below {{expected a size of at least 1 for mesh axis "tp", got 0}}
tp.mesh @size_zero ["dp" = 2, "tp" = 0]

// -----

// expected-error @below {{expected a size of at least 1 for mesh axis "tp", got -2}}
tp.mesh @size_negative ["tp" = -2]

// -----

// expected-error @below {{expected fewer than 2^31 ranks in the mesh}}
tp.mesh @too_many_ranks ["dp" = 65536, "tp" = 65536]

// -----

// expected-error @below {{expected one size per axis, got 2 axes and 1 sizes}}
"tp.mesh"() <{sym_name = "mesh", axis_names = ["dp", "tp"], axis_sizes = array<i64: 2>}> : () -> ()
