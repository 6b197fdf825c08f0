# The packages of Debian that ./dev installs, by purpose.

# Packages to build skde itself.
SKDE_PACKAGES=(cmake ninja-build g++ pkg-config libfmt-dev nlohmann-json3-dev libcxxopts-dev zlib1g-dev libbz2-dev
  liblz4-dev liblzma-dev libzstd-dev libnetcdf-dev libhdf5-dev libcfitsio-dev libproj-dev libfftw3-dev libopenvdb-dev libwebp-dev
  libboost-dev libboost-iostreams-dev libcairo2-dev fonts-dejavu-core libpugixml-dev libstb-dev)
RELEASE=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
[[ $RELEASE == bookworm ]] || SKDE_PACKAGES+=(liblaszip-dev)  # which Debian 12 does not have
PYTHON_PACKAGES=(pybind11-dev python3-dev python3-numpy python3-setuptools python3-wheel)
# Packages to build the other programs and the module for Python, too.
BUILD_PACKAGES=("${SKDE_PACKAGES[@]}" "${PYTHON_PACKAGES[@]}" python3 catch2 libopenmpi-dev openmpi-bin libglfw3-dev libglm-dev libimgui-dev
  libfreetype-dev libsqlite3-dev libxxhash-dev libssl-dev python3-glad libegl-dev libgl-dev)
NODE_PACKAGES=(nodejs npm)  # for the page of skde-serve, unless other versions are installed
# Packages that tests use; tests whose package is missing are skipped.
TEST_PACKAGES=(xvfb xdotool xclip libegl-mesa0 libgl1-mesa-dri  # windows and pictures
  man-db groff-base zsh  # man pages and completions
  parallel  # densities in parts
  curl  # a client in the documents
  strace  # to see what skde-serve has written to disk when a job ends
  patch  # the patches of tests/mutants
  chromium  # the page of skde-serve
  python3-{jinja2,jsonschema,matplotlib,requests,scipy,pytest,hypothesis,venv})
# What the Python module works with. ./dev check installs them; ./dev test skips the tests that need them.
PYTHON_PEER_PACKAGES=(python3-{pandas,xarray,netcdf4,sklearn,distributed,nbclient,ipykernel} mypy)
PACKING_PACKAGES=(dpkg-dev file)
# For the documents. ./dev check installs them, too; ./dev test does not, as they are large: it skips the test that needs them.
DOCS_PACKAGES=(doxygen python3 python3-sphinx python3-myst-parser python3-breathe furo libjs-katex)
CLANG_PACKAGES=(clang clang-format clang-tidy libclang-rt-dev libomp-dev llvm)
