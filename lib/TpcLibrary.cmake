# tpc_add_library(NAME sources... LINK libs... DEPENDS tablegen targets...)
# An object-linked static library of the compiler. TPCSupport is the only one
# that sees no MLIR header; the others share one precompiled header.
function(tpc_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -Werror=return-type -fno-exceptions)
  target_compile_definitions(${name} PUBLIC _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_NO_MLIR)
    target_link_libraries(${name} PUBLIC LLVM)
  else()
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    if(NOT name STREQUAL "TPCPrecompiled")
      target_precompile_headers(${name} REUSE_FROM TPCPrecompiled)
      target_link_libraries(${name} PUBLIC TPCPrecompiled)
    endif()
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/Precompiled.cpp "")
tpc_add_library(TPCPrecompiled ${CMAKE_CURRENT_BINARY_DIR}/Precompiled.cpp)
target_precompile_headers(TPCPrecompiled PRIVATE
  <string> <vector> <map>
  <mlir/IR/BuiltinOps.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/Matchers.h> <mlir/IR/IRMapping.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Tensor/IR/Tensor.h>)
