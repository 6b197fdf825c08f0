#pragma once

#include <string_view>

namespace skde::cli {

/// Returns which optional parts this build has and which it lacks: "with FFTW (GPL), HDF5; without
/// CUDA". The build configuration writes the text.
std::string_view build_parts();

}  // namespace skde::cli
