#include "io/points/splats/splat_values.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"
#include "io/points/arrays/promised_size.hpp"

namespace skde::io {

void require_splat_bytes(const BufferedSource& source, std::uint64_t splats,
                         std::size_t bytes_each) {
  constexpr std::uint64_t kMostUnsized = std::uint64_t{1} << 30;
  if (splats == 0) throw Error(ErrorKind::input, fmt::format("{}: holds no splats", source.name()));
  check_promise(source, splats, bytes_each, "splats");
  if (!source.size() && splats > kMostUnsized / bytes_each)
    throw Error(ErrorKind::input,
                fmt::format("{}: has {} splats, unpacked more than 1 GiB, which only a plain file "
                            "may have",
                            source.name(), splats),
                {{}, "decompress it first"});
}

void read_exactly(BufferedSource& source, void* to, std::size_t count, const char* what) {
  if (source.read(static_cast<char*>(to), count) != count)
    throw Error(ErrorKind::input,
                fmt::format("{}: ends at byte {}, inside its {}; the file is truncated or its "
                            "header is wrong",
                            source.name(), source.position(), what));
}

void skip_rest(BufferedSource& source) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
  if (source.skip(kMostBytes + 1) > kMostBytes)
    throw Error(ErrorKind::input,
                fmt::format("{}: more than 1 MiB follows the splats that its header declares; the "
                            "header is wrong",
                            source.name()));
}

}  // namespace skde::io
