#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Returns the points of a LAZ file as the records of the same LAS file, without its header; `file`
/// is at its first byte. A process of its own unpacks them, as LASzip trusts what a file says.
/// Throws Error(input) if it cannot, here or when they are read; Error(unsupported) if LASzip is
/// not there.
std::unique_ptr<ByteSource> laz_points(BufferedSource file);

/// What that process does: passes the records, at most about 1 MiB at a time. `name` is that of the
/// file in errors.
void unpack_laz(const std::string& path, const std::string& name,
                const std::function<void(std::string_view records)>& take);

}  // namespace skde::io
