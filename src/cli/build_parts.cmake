# Writes generated/cli/build_parts.cpp, which names the optional parts that a build has and those that it lacks. A file
# of its own, so that a part which is turned on compiles nothing else anew.

# part(NAME CONDITION): the condition may be a generator expression.
set(with "")
set(without "")
macro(part name condition)
  list(APPEND with "$<$<BOOL:${condition}>:${name}>")
  list(APPEND without "$<$<NOT:$<BOOL:${condition}>>:${name}>")
endmacro()

part(CUDA "${SKDE_HAS_CUDA}")
part("FFTW (GPL)" "${SKDE_WITH_FFTW}")
part(HDF5 "${SKDE_WITH_HDF5}")
part(FITS "${SKDE_WITH_FITS}")
part(WebP "${SKDE_WITH_WEBP}")
part(LAZ "${SKDE_WITH_LASZIP}")
part(PROJ "${SKDE_WITH_PROJ}")
part(NetCDF "${SKDE_WITH_NETCDF}")
part(OpenVDB "${SKDE_WITH_OPENVDB}")
part(pictures "${SKDE_WITH_PICTURES}")
part("Python module" "$<TARGET_EXISTS:skde_python_module>")
foreach(program skde-view skde-bench skde-serve skde-mpi)
  part(${program} "$<TARGET_EXISTS:${program}>")
endforeach()
part("page of skde-serve" "$<TARGET_EXISTS:skde_web_page>")

# listed(OUT NAMES...): "a, b", or "nothing" where all names are empty.
function(listed out)
  list(JOIN ARGN "$<SEMICOLON>" names)
  set(names "$<FILTER:${names},INCLUDE,.>")
  set(${out} "$<IF:$<BOOL:${names}>,$<JOIN:${names},$<COMMA> >,nothing>" PARENT_SCOPE)
endfunction()
listed(with_text ${with})
listed(without_text ${without})

set(SKDE_BUILD_PARTS "${PROJECT_BINARY_DIR}/generated/cli/build_parts.cpp")
file(GENERATE OUTPUT "${SKDE_BUILD_PARTS}" CONTENT
"#include \"cli/exit_code.hpp\"

std::string_view skde::cli::build_parts() { return \"with ${with_text}; without ${without_text}\"; }
")
