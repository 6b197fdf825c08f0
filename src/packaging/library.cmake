# libskde, the target skde::skde: the layers below the programs as one library, for programs of others. Those of skde
# link the layers themselves.
set(layers system core io engines bandwidth estimate analysis mixture order)
if(SKDE_HAS_CUDA)
  list(APPEND layers gpu kernels)
endif()
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:skde_\\1>" OUTPUT_VARIABLE objects)
add_library(skde_library ${objects})
add_library(skde::skde ALIAS skde_library)
add_dependencies(skde_library skde_format_files)
set_target_properties(
  skde_library
  PROPERTIES OUTPUT_NAME skde
             EXPORT_NAME skde
             LINKER_LANGUAGE CXX
             VERSION "${PROJECT_VERSION}"
             # Until 1.0 every minor version may change the interface.
             SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
target_compile_features(skde_library INTERFACE cxx_std_20)

# What its objects call; those who link a static libskde link these, too.
target_link_libraries(skde_library PRIVATE fmt::fmt OpenMP::OpenMP_CXX ZLIB::ZLIB pugixml::pugixml)
foreach(library IN LISTS SKDE_PLAIN_LIBRARIES)
  target_link_libraries(skde_library PRIVATE skde::${library})
endforeach()
if(SKDE_HAS_CUDA)
  target_link_libraries(skde_library PRIVATE CUDA::cudart_static)
endif()
# A shared libskde shows its own names, and not those of the archives in it.
target_link_options(skde_library PRIVATE
                    $<$<AND:$<PLATFORM_ID:Linux>,$<STREQUAL:$<TARGET_PROPERTY:skde_library,TYPE>,SHARED_LIBRARY>>:LINKER:--exclude-libs,ALL>)

# Its headers, under a folder of their own: see public_headers.cmake.
set(include "${PROJECT_BINARY_DIR}/include")
set(stamp "${PROJECT_BINARY_DIR}/generated/public_headers")
add_custom_command(
  OUTPUT "${stamp}"
  COMMAND "${CMAKE_COMMAND}" -D "ROOTS=${PROJECT_SOURCE_DIR}/src;${PROJECT_BINARY_DIR}/generated" -D "OUTPUT=${include}"
          -D "DEPFILE=${stamp}.d" -D "STAMP=${stamp}" -P "${PROJECT_SOURCE_DIR}/src/packaging/public_headers.cmake"
  DEPENDS "${PROJECT_SOURCE_DIR}/src/packaging/public_headers.cmake"
  DEPFILE "${stamp}.d"
  COMMENT "Collecting the public headers"
  VERBATIM)
add_custom_target(skde_headers DEPENDS "${stamp}")
add_dependencies(skde_library skde_headers)
target_include_directories(skde_library INTERFACE $<BUILD_INTERFACE:${include}>)
