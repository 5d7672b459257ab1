#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for tpc-compile in the tests of tpc-run: the text of the model says
# which artifact comes out, or how compiling fails.
folder=$(dirname "$0")/../artifacts
model=$1
shift
echo "compiles with: $*" | sed 's/-o .*/-o OUT/'
for output; do :; done
case $(cat "$model") in
model) cp "$folder/libreference.so" "$output" ;;
renamed) cp "$folder/libreference-renamed.so" "$output" ;;
reshaped) cp "$folder/libreference-reshaped.so" "$output" ;;
wrong) cp "$folder/libreference-wrong.so" "$output" ;;
parallel) cp "$folder/libartifact.so" "$output" ;;
broken) echo "error: broken" >&2; exit 1 ;;
usage) exit 2 ;;
killed) kill -9 $$ ;;
esac
