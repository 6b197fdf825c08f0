# The libraries that libskde is made with. They are found for the folder that includes this, and those below it: a
# project above sees none of their targets.
find_package(fmt REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SKDE_LZ4 REQUIRED IMPORTED_TARGET liblz4)

# skde_plain_library(NAME TARGET): a library that those who link an installed, static libskde find by its name, as it has
# no package for CMake: skde::NAME, here and in skdeConfig.cmake.
set(SKDE_PLAIN_LIBRARIES "")
macro(skde_plain_library name target)
  add_library(skde::${name} INTERFACE IMPORTED)
  target_link_libraries(skde::${name} INTERFACE ${target})
  list(APPEND SKDE_PLAIN_LIBRARIES ${name})
endmacro()

skde_plain_library(bz2 BZip2::BZip2)
skde_plain_library(lzma LibLZMA::LibLZMA)
skde_plain_library(lz4 PkgConfig::SKDE_LZ4)
if(SKDE_WITH_NETCDF)
  pkg_check_modules(SKDE_NETCDF REQUIRED IMPORTED_TARGET netcdf)
  skde_plain_library(netcdf PkgConfig::SKDE_NETCDF)
  pkg_check_modules(SKDE_HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
  skde_plain_library(hdf5_serial PkgConfig::SKDE_HDF5)
endif()
if(SKDE_WITH_OPENVDB)
  block()
    # Debian installs the find module beside the library's other CMake files.
    list(APPEND CMAKE_MODULE_PATH "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB")
    find_package(OpenVDB REQUIRED)
  endblock()
  skde_plain_library(openvdb OpenVDB::openvdb)
  skde_plain_library(tbb TBB::tbb)
  if(TARGET Imath::Imath)  # its file is named after its version: libImath-3_1.so
    get_target_property(file Imath::Imath LOCATION)
    string(REGEX REPLACE ".*/lib([^/]*)\\.(so|a|dylib).*" "\\1" name "${file}")
    skde_plain_library(${name} Imath::Imath)
  endif()
endif()
