# Copies skde.hpp, what few users need beside it, and the headers that these include to OUTPUT/skde, with "core/space/grid.hpp" as
# "skde/core/space/grid.hpp", so that nothing of a consumer's can be meant by it. Headers that are no longer among them go.
# cmake -D "ROOTS=src;generated" -D OUTPUT=include -D DEPFILE=file -D STAMP=file -P public_headers.cmake
cmake_minimum_required(VERSION 3.25)

# find_header(OUT NAME INCLUDER)
function(find_header out name includer)
  foreach(root IN LISTS ROOTS)
    if(EXISTS "${root}/${name}")
      set(${out} "${root}/${name}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${includer} includes \"${name}\", which is in none of ${ROOTS}")
endfunction()

# Consumers have the standard library, and need not have what libskde is made with.
function(require_standard_includes text name)
  string(REGEX MATCHALL "#[ \t]*include[ \t]*<[^>]*>" includes "${text}")
  foreach(include IN LISTS includes)
    if(NOT include MATCHES "<[a-z_]+>$")
      message(FATAL_ERROR "The public header ${name} has '${include}', which is not of the standard library")
    endif()
  endforeach()
endfunction()

# What was found, and grows while it is read: skde.hpp, and the headers of what it declares and does not define.
set(names
    skde.hpp
    analysis/density_comparison.hpp
    analysis/density_sampler.hpp
    analysis/isosurface.hpp
    analysis/kernel_regression.hpp
    analysis/mass_levels.hpp
    analysis/volume_planes.hpp
    core/version.hpp
    estimate/values/density_facts.hpp
    estimate/values/memory_plan.hpp
    estimate/read/cloud.hpp
    estimate/values/buffer_pool.hpp
    estimate/stream/followed_stream.hpp
    estimate/values/slice_sink.hpp
    io/volumes/volume_formats.hpp
    mixture/mixture_fit.hpp
    order/file_sort.hpp
    order/organised_rows.hpp)
set(sources "")
set(position 0)
while(TRUE)
  list(LENGTH names count)
  if(position EQUAL count)
    break()
  endif()
  list(GET names ${position} name)
  math(EXPR position "${position} + 1")
  find_header(source "${name}" "a public header")
  list(APPEND sources "${source}")
  file(READ "${source}" text)
  require_standard_includes("${text}" "${name}")
  string(REGEX MATCHALL "#[ \t]*include[ \t]*\"[^\"]*\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*\"([^\"]*)\"" "\\1" included "${include}")
    if(NOT included IN_LIST names)
      list(APPEND names "${included}")
    endif()
  endforeach()
  string(REGEX REPLACE "(#[ \t]*include[ \t]*\")" "\\1skde/" text "${text}")
  file(CONFIGURE OUTPUT "${OUTPUT}/skde/${name}" CONTENT "${text}" @ONLY)  # written where it differs
endwhile()

file(GLOB_RECURSE present RELATIVE "${OUTPUT}/skde" "${OUTPUT}/skde/*")
foreach(name IN LISTS present)
  if(NOT name IN_LIST names)
    file(REMOVE "${OUTPUT}/skde/${name}")
  endif()
endforeach()

list(JOIN sources " " prerequisites)
file(WRITE "${DEPFILE}" "${STAMP}: ${prerequisites}\n")
file(TOUCH "${STAMP}")
