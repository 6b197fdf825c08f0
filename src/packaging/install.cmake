# Installs libskde for programs of others: the library, its headers, and what CMake and pkg-config find it by.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/skde")
set(SKDE_LINKS_STATICALLY OFF)
get_target_property(library_type skde_library TYPE)
if(library_type STREQUAL STATIC_LIBRARY)
  set(SKDE_LINKS_STATICALLY ON)
endif()

install(
  TARGETS skde_library
  EXPORT skdeTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  RUNTIME COMPONENT library
  INCLUDES
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/skde" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)

install(EXPORT skdeTargets NAMESPACE skde:: DESTINATION "${package}" COMPONENT development)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/skdeConfig.cmake.in" "${PROJECT_BINARY_DIR}/skdeConfig.cmake"
                              INSTALL_DESTINATION "${package}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/skdeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/skdeConfig.cmake" "${PROJECT_BINARY_DIR}/skdeConfigVersion.cmake"
        DESTINATION "${package}" COMPONENT development)

# The libraries that a program with a static libskde links as well. Folders that the linker looks into anyway are not
# named.
set(SKDE_PC_REQUIRES "")
set(SKDE_PC_LIBS "")
if(SKDE_LINKS_STATICALLY)
  set(SKDE_PC_REQUIRES "fmt zlib pugixml")
  set(libraries ${SKDE_PLAIN_LIBRARIES})
  set(folders "")
  if(SKDE_HAS_CUDA)
    list(APPEND folders "${CUDAToolkit_LIBRARY_DIR}")
    list(APPEND libraries cudart_static)
  endif()
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM folders PREPEND "-L")
  list(TRANSFORM libraries PREPEND "-l")
  set(flags ${folders} ${libraries} ${OpenMP_CXX_FLAGS} -lpthread -ldl -lrt)
  list(JOIN flags " " SKDE_PC_LIBS)
endif()
file(RELATIVE_PATH SKDE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/skde.pc.in" "${PROJECT_BINARY_DIR}/skde.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/skde.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

if(SKDE_WITH_PROGRAMS)
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT programs)
endif()
