// Options that mean nothing, and a module without a mesh. (Steps lead between any two placements.)
// RUN: tpc-opt %s --split-input-file --tp-lower-redistributes --verify-diagnostics -o /dev/null
// RUN: echo 'tp.mesh @mesh ["tp" = 2]' | not tpc-opt --tp-lower-redistributes="objective=speed" 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// OBJECTIVE: expected objective time, bytes or count, got "speed"
// RUN: echo 'tp.mesh @mesh ["tp" = 2]' | not tpc-opt --tp-lower-redistributes="target-spec=%t.none" 2>&1 | FileCheck %s --check-prefix=SPEC
// SPEC: expected a machine description, one of a100, cpu, h100, h200 or a JSON file, got "{{.*}}.none": No such file or directory

// expected-error @+1 {{expected one tp.mesh in the module}}
module {
}
