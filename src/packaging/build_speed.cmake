# What makes a build quick. All of it is scoped to the folder that includes this, and those below it.

# Sources of one target are compiled in groups, which reads their common headers once a group. Names in anonymous
# namespaces are therefore unique in a target. OFF: each source alone, as clang-tidy wants it.
option(SKDE_UNITY "Compile the sources of a target in groups" ON)
set(CMAKE_UNITY_BUILD ${SKDE_UNITY})
if(NOT CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 30)
endif()
# Sources, from the root of the tree, that change one at a time: each is compiled outside its group.
set(SKDE_APART "" CACHE STRING "Sources that are compiled outside the groups")
mark_as_advanced(SKDE_APART)

# ccache, where it is installed, remembers what was compiled before.
find_program(SKDE_CCACHE ccache)
if(SKDE_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${SKDE_CCACHE}")
    endif()
  endforeach()
endif()

# mold or lld, where one is installed, links faster than the compiler's own linker. Compilers for other machines look
# for it among tools of their own.
find_program(SKDE_LINKER NAMES mold ld.lld)
if(SKDE_LINKER AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
  cmake_path(GET SKDE_LINKER FILENAME linker)
  string(REPLACE "ld.lld" "lld" linker "${linker}")
  add_link_options("-fuse-ld=${linker}")
endif()
