#include "fuzz/splat_fuzzing.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "support/pipe_source.hpp"

namespace skde::fuzz {
namespace {

std::optional<io::SplatCloud> splats_of(io::SplatCloud (*read)(io::BufferedSource, std::int64_t),
                                        std::unique_ptr<io::ByteSource> source) {
  try {
    return read(io::BufferedSource(std::move(source)), 0);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || std::strchr(error.what(), '\n') != nullptr)
      std::abort();
    return std::nullopt;
  }
}

/// Compares bits, so that NaN equals itself.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same(const io::SplatCloud& a, const io::SplatCloud& b) {
  return a.bands == b.bands && same(a.xyz, b.xyz) && same(a.log_scales, b.log_scales) &&
         same(a.rotations, b.rotations) && same(a.opacities, b.opacities) &&
         same(a.colours, b.colours) && same(a.harmonics, b.harmonics);
}

void check_columns(const io::SplatCloud& splats) {
  const std::size_t count = splats.size();
  if (count == 0 || splats.xyz.size() != 3 * count || splats.log_scales.size() != 3 * count ||
      splats.rotations.size() != 4 * count || splats.opacities.size() != count ||
      splats.colours.size() != 3 * count || splats.bands < 0 || splats.bands > 4 ||
      splats.harmonics.size() != 3 * count * splats.harmonics_each())
    std::abort();
  for (std::size_t i = 0; i < count; ++i) {
    float squares = 0;
    for (std::size_t k = 0; k < 4; ++k)
      squares += splats.rotations[4 * i + k] * splats.rotations[4 * i + k];
    if (!(std::abs(squares - 1) < 1e-5F) || !std::isfinite(splats.opacities[i])) std::abort();
  }
}

}  // namespace

void read_splats_both_ways(io::SplatCloud (*read)(io::BufferedSource, std::int64_t),
                           const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  const auto from_file = splats_of(read, io::memory_source("fuzz", text)),
             from_pipe = splats_of(read, std::make_unique<test::PipeSource>("fuzz", text));
  if (from_file) check_columns(*from_file);
  if (from_pipe && !(from_file && same(*from_file, *from_pipe))) {
    std::fprintf(stderr, "a file and a pipe give other splats\n");
    std::abort();
  }
}

}  // namespace skde::fuzz
