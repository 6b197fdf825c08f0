# Packages by `cpack -G DEB`: skde with the programs, python3-skde with the Python module, libskde-dev with what programs
# of others are built with, and, of a shared libskde, the package that those need to run.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME skde)
set(CPACK_PACKAGE_VENDOR "skde")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL development)
if(SKDE_WITH_PROGRAMS)
  list(APPEND CPACK_COMPONENTS_ALL programs)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "skde maintainers <skde@localhost>" CACHE STRING "Whom the packages name")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Man pages are packed, and completions lie where Debian's zsh looks for them.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian_places.cmake")

set(about "skde turns a cloud of 3-D samples (points, particles, events; with or without
weights) into a normalised probability density on a regular grid, exactly. It
chooses a bandwidth from the data, takes the full covariance into account, and
writes volumes that ParaView, 3D Slicer, Houdini and NumPy open.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME skde)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "python3-matplotlib, python3-jinja2")  # skde-bench report
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "${about}
.
The programs: skde for the command line, skde-view to look at densities while
the bandwidth moves, skde-serve to compute for others, skde-bench to measure.")

if(TARGET skde_python_module)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-skde)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  get_target_property(version skde_python_module SKDE_PYTHON_VERSION)
  get_target_property(next_version skde_python_module SKDE_NEXT_PYTHON_VERSION)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${version}), python3 (<< ${next_version}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-matplotlib)  # plots
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-xarray, python3-sklearn, python3-scipy, python3-dask")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${about}
.
The module for Python.")
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libskde-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${about}
.
Headers and library, with what CMake and pkg-config find them by.")
set(soname "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
if(SKDE_LINKS_STATICALLY)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libpugixml-dev, zlib1g-dev, libbz2-dev, liblz4-dev, liblzma-dev, libzstd-dev")
  if(SKDE_WITH_FFTW)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libfftw3-dev")
  endif()
  if(SKDE_WITH_WEBP)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libwebp-dev")
  endif()
  if(SKDE_HAS_CUDA)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS nvidia-cuda-toolkit)
  endif()
else()
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "libskde${soname}")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${about}
.
The shared library.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libskde${soname} (= ${PROJECT_VERSION})")
endif()
include(CPack)
