#include "io/values/promised_size.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"

namespace skde::io {

void check_promise(const BufferedSource& source, std::uint64_t rows, std::size_t bytes_a_row,
                   std::string_view what) {
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(rows, std::uint64_t{bytes_a_row}, &needed))
    throw Error(
        ErrorKind::input,
        fmt::format("{}: the header declares {} {}, more than any file can hold; it is broken",
                    source.name(), rows, what));
  if (!source.size()) return;
  const std::uint64_t left = std::max(*source.size(), source.position()) - source.position();
  if (needed > left)
    throw Error(ErrorKind::input,
                fmt::format("{}: the header declares {} {}, at least {} bytes, but only {} bytes "
                            "follow it; the file is truncated or its header is wrong",
                            source.name(), rows, what, needed, left));
}

}  // namespace skde::io
