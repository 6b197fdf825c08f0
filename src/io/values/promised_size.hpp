#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Checks a header's promise of `rows` rows of at least `bytes_a_row` bytes each, from the source's
/// position on, before anything is allocated for them. Throws Error(input) if the bytes that are
/// left cannot hold them, or if the number of bytes does not fit a 64-bit integer. `what` names the
/// rows.
void check_promise(const BufferedSource& source, std::uint64_t rows, std::size_t bytes_a_row,
                   std::string_view what);

}  // namespace skde::io
