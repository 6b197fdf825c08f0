#pragma once

#include <string>

#include "core/space/space.hpp"

namespace skde {

/// Reads a covariance matrix in squared world units from a text file: three rows of three numbers,
/// separated by blanks, commas or semicolons; # begins a comment. Throws Error(input) if the file
/// cannot be read or holds anything else, or if the matrix is not symmetric with a diagonal above
/// 0.
Symmetric3 read_covariance(const std::string& path);

}  // namespace skde
