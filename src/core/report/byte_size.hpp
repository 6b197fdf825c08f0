#pragma once

#include <cstdint>
#include <string>

namespace skde {

/// Bytes from "500M", "2G", "2g", "2GB", "2GiB", "1.5T" (powers of 1024 all of them) or a bare
/// number. Error(usage) where the text is no size.
std::int64_t parse_bytes(const std::string& given);

}  // namespace skde
