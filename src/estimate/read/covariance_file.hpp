#pragma once

#include <string>

#include "core/space.hpp"

namespace skde {

/// A covariance matrix in squared world units from a text file: three rows of three numbers,
/// divided by blanks, commas or semicolons; # begins a comment. Throws Error(input) where the file
/// cannot be read, holds anything else, or the matrix is not symmetric with a diagonal above 0.
Symmetric3 read_covariance(const std::string& path);

}  // namespace skde
