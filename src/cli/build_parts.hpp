#pragma once

#include <string_view>

namespace skde::cli {

/// Which optional parts this build has and which it lacks, as "with FFTW (GPL), HDF5; without
/// CUDA". The configuration writes the text.
std::string_view build_parts();

}  // namespace skde::cli
