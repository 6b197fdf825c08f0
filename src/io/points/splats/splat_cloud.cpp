#include "io/points/splats/splat_cloud.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"

namespace skde::io {

void require_kept_bytes(const std::string& file, std::uint64_t splats, int bands,
                        std::int64_t most_bytes) {
  const std::uint64_t kept = kept_splat_bytes(splats, bands);
  if (most_bytes <= 0 || kept <= static_cast<std::uint64_t>(most_bytes)) return;
  throw Error(ErrorKind::resources,
              fmt::format("{}: its {} splats take {} MiB of memory, which is more than {} MiB",
                          file, splats, kept >> 20, most_bytes >> 20),
              {"memory_limit", "raise `memory_limit`, or use fewer splats"});
}

void require_splat_bytes(const BufferedSource& source, std::uint64_t splats, std::size_t bytes_each,
                         int bands, std::int64_t most_bytes) {
  constexpr std::uint64_t kMostUnsized = std::uint64_t{1} << 30;
  if (splats == 0) throw Error(ErrorKind::input, fmt::format("{}: holds no splats", source.name()));
  check_promise(source, splats, bytes_each, "splats");
  if (!source.size() && kept_splat_bytes(splats, bands) > kMostUnsized)
    throw Error(ErrorKind::input,
                fmt::format("{}: has {} splats, in memory more than 1 GiB, which only a plain file "
                            "may have",
                            source.name(), splats),
                {{}, "decompress it first"});
  require_kept_bytes(source.name(), splats, bands, most_bytes);
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
