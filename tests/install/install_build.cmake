# Installs BUILD to PREFIX and looks whether what was installed is all there:
# cmake -D BUILD=... -D PREFIX=... -P install_build.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
foreach(file bin/skde share/man/man1/skde.1 share/man/man1/skde-density.1 share/bash-completion/completions/skde
             share/zsh/site-functions/_skde include/skde/skde.hpp share/doc/skde/README.md)
  if(NOT EXISTS "${PREFIX}/${file}")
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
file(GLOB beside RELATIVE "${PREFIX}/include" "${PREFIX}/include/*")
if(NOT beside STREQUAL skde)
  message(FATAL_ERROR "Headers stand beside include/skde: ${beside}")
endif()
execute_process(COMMAND "${PREFIX}/bin/skde" --version COMMAND_ERROR_IS_FATAL ANY)
