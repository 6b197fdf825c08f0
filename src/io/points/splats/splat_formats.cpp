#include "io/points/splats/splat_formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/packing.hpp"
#include "io/points/readers/other_formats.hpp"
#include "io/points/splats/sog_files.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestSplatHead = 4096;  // comments may precede the elements of PLY

/// A meta.json, or an archive whose first member is one or a WebP image. Archives of NumPy hold
/// .npy files.
bool is_sog(std::string_view head) {
  constexpr std::size_t kName = 30;
  if (is_sog_meta(head)) return true;
  if (!head.starts_with("PK\x03\x04") || head.size() < kName) return false;
  const std::string_view name = head.substr(kName, little_endian(head, 26, 2));
  return name == "meta.json" || name.ends_with(".webp");
}

bool is_plain_ply(std::string_view head) {
  return head.starts_with("ply\n") || head.starts_with("ply\r");
}

bool is_glb(std::string_view head) { return head.starts_with("glTF"); }

constexpr bool kWebp = SKDE_HAS_WEBP;

#if SKDE_HAS_WEBP
constexpr auto kReadSog = read_sog;
constexpr auto kWriteSog = write_sog;
#else
constexpr decltype(&read_sog) kReadSog = nullptr;
constexpr decltype(&write_sog) kWriteSog = nullptr;
#endif

constexpr std::string_view kOfSpz =
    "coordinates have 24 bits, scales steps of 1/16 in their logarithm, rotations 10 bits a part, "
    "opacities, colours and harmonics 8 bits";

template <int kVersion>
void write_spz_as(const std::string& path, const SplatCloud& splats, Progress& progress) {
  write_spz(path, splats, progress, kVersion);
}

constexpr std::array<SplatFormat, 8> kSplatFormats{{
    {.name = "sog",
     .extensions = ".sog",
     .summary = "PlayCanvas's SOG, versions 1 and 2: lossless WebP images in a ZIP archive; or "
                "beside the meta.json that is named",
     .quantisation = "coordinates in 65,536 steps of ln(1 + |x|), rotations to 0.003, opacities in "
                     "256 steps, scales and colours by 256 values each, harmonics by a palette",
     .has_signature = is_sog,
     .read = kReadSog,
     .write = kWriteSog,
     .unavailable = kWebp ? "" : "configure it with SKDE_WITH_WEBP=ON"},
    {.name = "spz",
     .extensions = ".spz",
     .summary = "Niantic's .spz, versions 2 to 4; version 3 is written, packed by gzip",
     .quantisation = kOfSpz,
     .has_signature = is_spz,
     .read = read_spz,
     .write = write_spz_as<kUsualSpz>,
     .most_bands = 4},
    {.name = "spz-2",
     .extensions = ".v2.spz",
     .summary = "version 2 of .spz, for programs that read no other",
     .quantisation = "the same, but rotations have 8 bits a part",
     .has_signature = is_spz,
     .read = read_spz,
     .write = write_spz_as<kOldestSpz>,
     .most_bands = 4},
    {.name = "spz-4",
     .extensions = ".v4.spz",
     .summary = "version 4 of .spz, packed by zstd",
     .quantisation = kOfSpz,
     .has_signature = is_spz,
     .read = read_spz,
     .write = write_spz_as<kNewestSpz>,
     .most_bands = 4},
    {.name = "splat",
     .extensions = ".splat",
     .summary = "Gaussian splats in 32 bytes each, no harmonics",
     .quantisation = "coordinates and scales are floats, rotations have 8 bits a part, opacities "
                     "and colours 8 bits",
     .read = read_splat_records,
     .write = write_splat_records,
     .most_bands = 0},
    {.name = "gltf",
     .extensions = ".glb",
     .summary = "binary glTF with KHR_gaussian_splatting, uncompressed; read, not written",
     .has_signature = is_glb,
     .read = read_gltf_splats},
    {.name = "compressed-ply",
     .extensions = ".compressed.ply",
     .summary = "Gaussian splats in chunks of 256, as PlayCanvas publishes it",
     .quantisation = "in the range of a chunk coordinates and logarithms of scales have 11 bits in "
                     "x and z and 10 in y, colours 8; rotations have 10 bits a part, opacities and "
                     "harmonics 8 bits",
     .has_signature = is_compressed_ply,
     .read = read_compressed_ply,
     .write = write_compressed_ply,
     .most_bands = 3},
    {.name = "ply",
     .extensions = ".ply",
     .summary = "Gaussian splats as they are trained, all harmonics",
     .quantisation = "all numbers are floats of 32 bits",
     .has_signature = is_plain_ply,
     .read = read_splat_ply,
     .write = write_splat_ply,
     .most_bands = 4},
}};

bool is_only_read(const SplatFormat& format) {
  return format.write == nullptr && format.unavailable.empty();
}

void require_available(const std::string& path, const SplatFormat& format) {
  if (format.unavailable.empty()) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: this build has no {} files", path, format.name),
              {{}, std::string(format.unavailable)});
}

const SplatFormat& recognised(const std::string& name, std::string_view head) {
  for (const SplatFormat& format : kSplatFormats)
    if (format.has_signature != nullptr && format.has_signature(head)) return format;
  const SplatFormat* const named = splat_format_of(name);
  if (named != nullptr) return *named;
  if (const OtherFormat* const other = other_format_by_name(name))
    throw Error(ErrorKind::input, fmt::format("{}: {}", name, other->what),
                {{}, std::string(other->suggestion)});
  throw Error(ErrorKind::input, fmt::format("{}: is not a file of Gaussian splats", name),
              {{}, fmt::format("use one of {}", splat_extensions())});
}

/// Throws if a value is not finite.
void require_finite(const std::string& path, const SplatCloud& splats) {
  const auto require = [&](const auto& values, std::size_t each, const char* what) {
    const auto bad = std::ranges::find_if(values, [](auto v) { return !std::isfinite(v); });
    if (bad == values.end()) return;
    const auto row = static_cast<std::size_t>(bad - values.begin()) / each;
    throw Error(ErrorKind::input,
                fmt::format("{}: splat {}: {} is not finite", path, row + 1, what),
                {{}, "leave it out"});
  };
  require(splats.xyz, 3, "a coordinate");
  require(splats.log_scales, 3, "a scale");
  require(splats.rotations, 4, "its rotation");
  require(splats.opacities, 1, "its opacity");
  require(splats.colours, 3, "its colour");
  if (splats.bands > 0) require(splats.harmonics, 3 * splats.harmonics_each(), "a harmonic");
}

/// Keeps the lowest harmonics of each colour.
void limit_bands(SplatCloud& splats, int most) {
  if (splats.bands <= most) return;
  const std::size_t each = splats.harmonics_each(), colours = 3 * splats.size();
  splats.bands = most;
  const std::size_t kept = splats.harmonics_each();
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t k = 0; k < kept; ++k)
      splats.harmonics[i * kept + k] = splats.harmonics[i * each + k];
  splats.harmonics.resize(colours * kept);
}

/// Makes quaternions unit ones. Throws if one is zero.
void make_unit(const std::string& path, std::vector<float>& rotations) {
  for (std::size_t i = 0; i < rotations.size(); i += 4) {
    double squares = 0;
    for (std::size_t k = 0; k < 4; ++k)
      squares += static_cast<double>(rotations[i + k]) * static_cast<double>(rotations[i + k]);
    if (!(squares > 0))
      throw Error(
          ErrorKind::input,
          fmt::format("{}: splat {}: its rotation is a quaternion of zeros", path, i / 4 + 1),
          {{}, "leave it out"});
    for (std::size_t k = 0; k < 4; ++k)
      rotations[i + k] =
          static_cast<float>(static_cast<double>(rotations[i + k]) / std::sqrt(squares));
  }
}

}  // namespace

std::span<const SplatFormat> splat_formats() { return kSplatFormats; }

const SplatFormat* splat_format_of(std::string_view path) {
  const std::string low = lower_case(without_packer_extension(path));
  const SplatFormat* found = nullptr;
  std::size_t length = 0;
  for (const SplatFormat& format : kSplatFormats)
    for (const std::string_view extension : split_words(format.extensions))
      if (low.ends_with(extension) && extension.size() > length) {
        found = &format;
        length = extension.size();
      }
  return found;
}

std::string splat_extensions() {
  std::string list;
  for (const SplatFormat& format : kSplatFormats)
    for (const std::string_view extension :
         split_words(is_only_read(format) ? "" : format.extensions))
      list.append(list.empty() ? "" : ", ").append(extension);
  return list;
}

SplatCloud read_splats(BufferedSource source, std::int64_t most_bytes) {
  source = decompressed(std::move(source));
  const std::string name = source.name();
  const std::string_view head = source.peek(kLongestSplatHead);
  const SplatFormat& format =
      recognised(name, head.substr(0, std::min(head.size(), kLongestSplatHead)));
  require_available(name, format);
  return format.read(std::move(source), most_bytes);
}

const SplatFormat& splat_format_to_write(const std::string& path) {
  const SplatFormat* const format =
      path == without_packer_extension(path) ? splat_format_of(path) : nullptr;
  if (format == nullptr || is_only_read(*format))
    throw Error(ErrorKind::usage,
                fmt::format("{}: splats can be written as {}", path, splat_extensions()),
                {"output", "use one of these extensions"});
  require_available(path, *format);
  return *format;
}

void write_splats(const std::string& path, SplatCloud splats, Progress& progress) {
  const SplatFormat& format = splat_format_to_write(path);
  if (splats.size() == 0)
    throw Error(ErrorKind::input, fmt::format("{}: there are no splats to write", path));
  constexpr float kOutermost = 80;  // exp() of this and its inverse are floats
  for (float& value : splats.log_scales)
    if (std::isinf(value)) value = std::copysign(kOutermost, value);
  for (float& value : splats.opacities)
    if (std::isinf(value)) value = std::copysign(kOutermost, value);
  require_finite(path, splats);
  make_unit(path, splats.rotations);
  limit_bands(splats, format.most_bands);
  format.write(path, splats, progress);
}

}  // namespace skde::io
