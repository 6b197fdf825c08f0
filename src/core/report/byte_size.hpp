#pragma once

#include <cstdint>
#include <string>

namespace skde {

/// Parses bytes: "500M", "2G", "2g", "2GB", "2GiB", "1.5T" (all powers of 1024) or a bare number.
/// Throws Error(usage) if the text is not a size.
std::int64_t parse_bytes(const std::string& given);

}  // namespace skde
