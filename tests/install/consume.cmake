# Builds tests/consumer with libskde and runs it: cmake -D WAY=... -D PREFIX=... [-D NAME=VALUE...] -P consume.cmake
#   add_subdirectory  from the sources of skde, in BUILD with OPTIONS; then installs skde to PREFIX
#   find_package      from PREFIX, with OPTIONS
#   pkg_config        from PREFIX, by COMPILER alone
# Lists have bars between their elements.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" OPTIONS "${OPTIONS}")
set(consumer "${CMAKE_CURRENT_LIST_DIR}/../consumer")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The value is that of the definition of the density, summed in double by other means.
function(check_output program)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${output}")
  if(NOT output STREQUAL "density at (1, 1, 1): 0.0272394\n")
    message(FATAL_ERROR "The consumer printed '${output}'")
  endif()
endfunction()

function(build_by_cmake build)
  run("${CMAKE_COMMAND}" -S "${consumer}" -B "${build}" -G "${GENERATOR}" ${ARGN})
  run("${CMAKE_COMMAND}" --build "${build}" --parallel)
  check_output("${build}/consumer")
  run("${build}/further" "${build}")
endfunction()

if(WAY STREQUAL add_subdirectory)
  string(REPLACE "|" ";" architectures "${ARCHITECTURES}")
  set(ENV{CUDAARCHS} "${architectures}")
  # Headers of libraries count as the system's, whose changes compile nothing anew.
  file(REMOVE_RECURSE "${BUILD}/CMakeFiles/consumer.dir" "${BUILD}/CMakeFiles/further.dir")
  build_by_cmake("${BUILD}" ${OPTIONS})
  file(REMOVE_RECURSE "${PREFIX}")
  run("${CMAKE_COMMAND}" --install "${BUILD}/skde" --prefix "${PREFIX}")
elseif(WAY STREQUAL find_package)
  file(REMOVE_RECURSE "${PREFIX}_consumer")
  build_by_cmake("${PREFIX}_consumer" ${OPTIONS} "-DCMAKE_PREFIX_PATH=${PREFIX}")
elseif(WAY STREQUAL pkg_config)
  file(GLOB_RECURSE description "${PREFIX}/skde.pc")
  cmake_path(GET description PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH libraries)
  set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")
  execute_process(COMMAND pkg-config --cflags --libs skde OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(ENV{LD_LIBRARY_PATH} "${libraries}:$ENV{LD_LIBRARY_PATH}")
  run("${COMPILER}" -std=c++20 -Wall -Wextra -Werror "${consumer}/main.cpp" -o "${PREFIX}_program" ${flags})
  check_output("${PREFIX}_program")
else()
  message(FATAL_ERROR "There is no way '${WAY}'")
endif()
