# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libtpc_rt_attention.so: attention through cuDNN, where it and the headers of
# cudnn-frontend are found. Programs with attention in one call open it.
execute_process(COMMAND python3 -c "import site; print(';'.join(p + '/include' for p in site.getsitepackages() + [site.getusersitepackages()]))"
  OUTPUT_VARIABLE TPC_PYTHON_INCLUDES OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_path(TPC_CUDNN_FRONTEND_INCLUDE cudnn_frontend.h HINTS ${TPC_PYTHON_INCLUDES}
  DOC "the headers of cudnn-frontend, as the PyPI package nvidia-cudnn-frontend has them in include")
find_path(TPC_CUDNN_INCLUDE cudnn.h HINTS /usr/local/cuda/include $ENV{CUDA_HOME}/include)
find_library(TPC_CUDNN_LIBRARY cudnn HINTS /usr/local/cuda/lib64 $ENV{CUDA_HOME}/lib64)
find_library(TPC_CUDART_LIBRARY cudart HINTS /usr/local/cuda/lib64 $ENV{CUDA_HOME}/lib64)
find_library(TPC_NVRTC_LIBRARY nvrtc HINTS /usr/local/cuda/lib64 $ENV{CUDA_HOME}/lib64)
if(NOT TPC_CUDNN_FRONTEND_INCLUDE OR NOT TPC_CUDNN_INCLUDE OR NOT TPC_CUDNN_LIBRARY OR NOT TPC_CUDART_LIBRARY OR NOT TPC_NVRTC_LIBRARY)
  message(STATUS "no attention through cuDNN: cudnn.h, libcudnn, libcudart, libnvrtc or cudnn_frontend.h was not found (pip install nvidia-cudnn-frontend, or TPC_CUDNN_FRONTEND_INCLUDE names the folder of the last)")
  return()
endif()

add_library(tpc_rt_attention SHARED cuda/attention_cudnn.cpp)
get_filename_component(TPC_CUDNN_FOLDER ${TPC_CUDNN_LIBRARY} DIRECTORY)
set_target_properties(tpc_rt_attention PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  BUILD_RPATH "${TPC_CUDNN_FOLDER}" INSTALL_RPATH "${TPC_CUDNN_FOLDER}")
target_include_directories(tpc_rt_attention PRIVATE include)
target_include_directories(tpc_rt_attention SYSTEM PRIVATE
  ${TPC_CUDNN_FRONTEND_INCLUDE} ${TPC_CUDNN_INCLUDE})
target_compile_definitions(tpc_rt_attention PRIVATE CUDNN_FRONTEND_SKIP_JSON_LIB)
target_compile_options(tpc_rt_attention PRIVATE -Wall -Wextra -Werror=return-type)
if(NOT TPC_SANITIZE)
  target_link_options(tpc_rt_attention PRIVATE -Wl,-z,defs)
endif()
target_link_libraries(tpc_rt_attention PRIVATE ${TPC_CUDNN_LIBRARY} ${TPC_CUDART_LIBRARY} ${TPC_NVRTC_LIBRARY})
install(TARGETS tpc_rt_attention)
