#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/splats/sog_files.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/points/splats/webp_image.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

/// Lossless WebP can make any number of equal pixels of a hundred bytes. An image of more pixels
/// than these, or than these for each byte of all files, is refused.
constexpr std::size_t kFreePixels = 65536, kPixelsEachByte = 256;

/// The files, their meta.json, and what it promises.
class SogArchive {
 public:
  SogArchive(const std::string& file, std::string_view bytes)
      : file_(file), files_(file, bytes), bytes_(bytes.size()) {
    meta_ = parse_json(files_.meta(), file_);
    if (!meta_.is_object()) refuse_sog(file_, "meta.json is not an object");
    for (const char* const part : {"means", "scales", "quats", "sh0", "shN"})
      if (has(part) && meta_[part].is_object() && meta_[part].contains("files"))
        for (const Json& name : meta_[part]["files"])
          if (name.is_string()) bytes_ += files_.bytes_beside(name.get<std::string>());
    const bool states_version = meta_.contains("version");
    version_ = states_version ? whole(meta_["version"], "version", 1000) : 1;
    if (version_ != 1 && version_ != 2)
      throw Error(ErrorKind::input,
                  fmt::format("{}: SOG version {} is not supported", file_, version_),
                  {{}, "write it as version 2"});
    if (version_ == 2 || meta_.contains("count"))
      count_ = whole(entry({"count"}), "count", kMostWebpSide * kMostWebpSide);
    else
      count_ =
          whole(first_of(entry({"means", "shape"})), "means.shape", kMostWebpSide * kMostWebpSide);
  }

  std::size_t version() const { return version_; }
  std::size_t count() const { return count_; }
  bool has(const char* part) const { return meta_.contains(part) && !meta_[part].is_null(); }

  std::size_t whole_at(const char* part, const char* key, std::size_t most) const {
    return whole(entry({part, key}), fmt::format("{}.{}", part, key), most);
  }

  /// Returns finite numbers, `count` of them; a single number counts as an array.
  std::vector<double> numbers(const char* part, const char* key, std::size_t count) const {
    const Json& array = entry({part, key});
    std::vector<double> found;
    for (const Json& value : array.is_array() ? array : Json::array({array}))
      found.push_back(value.is_number() ? value.get<double>()
                                        : std::numeric_limits<double>::quiet_NaN());
    // Some writers leave out the first entry of a codebook; readers continue its slope.
    if (found.size() == 256 && array.is_array() && array[0].is_null())
      found[0] = found[1] + (found[1] - found[255]) / 255;
    if (found.size() != count ||
        !std::ranges::all_of(found, [](double v) { return std::isfinite(static_cast<float>(v)); }))
      refuse_sog(file_,
                 fmt::format("{}.{} of meta.json must be {} finite numbers", part, key, count));
    return found;
  }

  /// Decodes an image; one of splats has a pixel for each.
  struct Wanted {
    const char* part;
    std::size_t index = 0;
    bool of_splats = true;
  };
  std::vector<RgbaImage> images(const std::vector<Wanted>& wanted) const {
    std::vector<std::string> packed;
    for (const Wanted& one : wanted) packed.push_back(image_bytes(one));
    std::vector<RgbaImage> images(wanted.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t i = 0; i < packed.size(); ++i) images[i] = decoded_webp(packed[i]);
    for (std::size_t i = 0; i < images.size(); ++i)
      if (images[i].pixels() == 0)
        refuse_sog(file_, fmt::format("an image of {} cannot be decoded", wanted[i].part));
    return images;
  }

  [[noreturn]] void refuse(const std::string& why) const { refuse_sog(file_, why); }

 private:
  const Json& entry(std::initializer_list<const char*> keys) const {
    const Json* value = &meta_;
    std::string name;
    for (const char* const key : keys) {
      name.append(name.empty() ? "" : ".").append(key);
      if (!value->is_object() || !value->contains(key))
        refuse_sog(file_, fmt::format("meta.json has no {}", name));
      value = &(*value)[key];
    }
    return *value;
  }

  const Json& first_of(const Json& array) const {
    if (!array.is_array() || array.empty()) refuse_sog(file_, "means.shape is not an array");
    return array[0];
  }

  std::size_t whole(const Json& value, const std::string& name, std::size_t most) const {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0) || number > static_cast<double>(most) || number != std::floor(number))
      refuse_sog(file_, fmt::format("{} of meta.json must be an integer from 0 to {}", name, most));
    return static_cast<std::size_t>(number);
  }

  /// The bytes of an image, of which the size that it declares has been looked at.
  std::string image_bytes(const Wanted& wanted) const {
    const Json& files = entry({wanted.part, "files"});
    if (!files.is_array() || files.size() <= wanted.index || !files[wanted.index].is_string())
      refuse_sog(file_, fmt::format("{}.files of meta.json lacks a name", wanted.part));
    const auto name = files[wanted.index].get<std::string>();
    std::string bytes = files_.read(name, 4 * bytes_ + kFreePixels);
    const auto [width, height] = webp_size(bytes);
    const std::size_t pixels = width * height;
    if (pixels == 0) refuse_sog(file_, fmt::format("{} is not a WebP image", excerpt(name)));
    if (wanted.of_splats && pixels < count_)
      refuse_sog(file_,
                 fmt::format("{} has {} pixels for {} splats", excerpt(name), pixels, count_));
    if (pixels > kFreePixels && pixels / kPixelsEachByte > bytes_)
      refuse_sog(file_, fmt::format("{} declares {} x {} pixels, too many for {} bytes",
                                    excerpt(name), width, height, bytes_));
    return bytes;
  }

  const std::string& file_;
  SogFiles files_;
  std::uint64_t bytes_;  ///< of all files as they are stored
  Json meta_;
  std::size_t version_ = 0, count_ = 0;
};

/// What the 256 values of a byte stand for.
using ByteValues = std::array<float, 256>;

ByteValues codebook_values(const SogArchive& archive, const char* part) {
  ByteValues values{};
  const std::vector<double> numbers = archive.numbers(part, "codebook", values.size());
  std::ranges::transform(numbers, values.begin(), [](double v) { return static_cast<float>(v); });
  return values;
}

/// Equal steps, as version 1 has them; one table for each channel.
std::vector<ByteValues> stepped_values(const SogArchive& archive, const char* part,
                                       std::size_t channels) {
  const std::vector<double> least = archive.numbers(part, "mins", channels);
  const std::vector<double> most = archive.numbers(part, "maxs", channels);
  std::vector<ByteValues> tables(channels);
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[c][byte] =
          static_cast<float>(least[c] + (most[c] - least[c]) * static_cast<double>(byte) / 255);
  return tables;
}

void take_means(const SogArchive& archive, const RgbaImage& low, const RgbaImage& high,
                SplatCloud& splats) {
  const std::vector<double> least = archive.numbers("means", "mins", 3);
  const std::vector<double> most = archive.numbers("means", "maxs", 3);
  for (std::size_t i = 0; i < archive.count(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int step = low.pixel(i)[axis] | high.pixel(i)[axis] << 8;
      const double x = from_sog_coordinate(least[axis] + (most[axis] - least[axis]) * step / 65535);
      if (!std::isfinite(x)) archive.refuse("means.mins or means.maxs of meta.json is too large");
      splats.xyz.push_back(x);
    }
}

void take_rotations(const RgbaImage& image, std::size_t count, SplatCloud& splats) {
  splats.rotations.assign(4 * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* const from = image.pixel(i);
    float* const q = splats.rotations.data() + 4 * i;
    if (from[3] < kFirstQuaternionTag) {  // not turned, to other readers
      q[0] = 1;
      continue;
    }
    const std::size_t largest = from[3] - kFirstQuaternionTag;
    std::array<double, 4> parts{};
    double squares = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double part = (2.0 * from[k] / 255 - 1) / std::sqrt(2.0);
      parts[kKeptParts[largest][k]] = part;
      squares += part * part;
    }
    parts[largest] = std::sqrt(std::max(0.0, 1 - squares));
    const double norm = std::sqrt(std::max(1.0, squares));  // those that are too long are shortened
    for (std::size_t k = 0; k < 4; ++k) q[k] = static_cast<float>(parts[k] / norm);
  }
}

/// Appends three values a splat.
void take_three(const RgbaImage& image, std::size_t count, const std::vector<ByteValues>& tables,
                std::vector<float>& to) {
  to.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      to.push_back(tables[std::min(k, tables.size() - 1)][image.pixel(i)[k]]);
}

void take_opacities(const SogArchive& archive, const RgbaImage& image, SplatCloud& splats) {
  ByteValues values{};
  if (archive.version() == 1) {
    values = stepped_values(archive, "sh0", 4)[3];
  } else {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const double share =
          std::clamp(static_cast<double>(byte) / 255, kLeastSogOpacity, 1 - kLeastSogOpacity);
      values[byte] = static_cast<float>(std::log(share / (1 - share)));
    }
  }
  splats.opacities.reserve(archive.count());
  for (std::size_t i = 0; i < archive.count(); ++i)
    splats.opacities.push_back(values[image.pixel(i)[3]]);
}

/// Number of bands of a palette, of which version 1 has the width of the image alone.
int bands_of(const SogArchive& archive, const RgbaImage& palette) {
  const std::size_t stated =
      archive.version() == 2 ? archive.whole_at("shN", "bands", 3) : std::size_t{0};
  for (int bands = 1; bands <= 3; ++bands)
    if (palette.width == kPaletteRow * static_cast<std::size_t>(bands * (bands + 2)) &&
        (archive.version() == 1 || stated == static_cast<std::size_t>(bands)))
      return bands;
  archive.refuse(fmt::format("its palette of harmonics is {} pixels wide", palette.width));
}

void take_harmonics(const SogArchive& archive, SplatCloud& splats) {
  if (archive.version() == 2 && archive.whole_at("shN", "bands", 3) == 0) return;
  const std::vector<RgbaImage> images = archive.images({{"shN", 0, false}, {"shN", 1, true}});
  const RgbaImage &palette = images[0], &labels = images[1];
  splats.bands = bands_of(archive, palette);
  const std::size_t each = splats.harmonics_each(), there = kPaletteRow * palette.height;
  const ByteValues values = archive.version() == 2 ? codebook_values(archive, "shN")
                                                   : stepped_values(archive, "shN", 1)[0];
  const std::size_t entries = archive.version() == 2
                                  ? std::min(there, archive.whole_at("shN", "count", kMostPalette))
                                  : there;
  splats.harmonics.assign(3 * each * archive.count(), 0);
  for (std::size_t i = 0; i < archive.count(); ++i) {
    const std::size_t label = labels.pixel(i)[0] | std::size_t{labels.pixel(i)[1]} << 8;
    if (label >= entries) continue;  // without harmonics, to other readers
    for (std::size_t colour = 0; colour < 3; ++colour)
      for (std::size_t k = 0; k < each; ++k)
        splats.harmonics[(3 * i + colour) * each + k] =
            values[palette.pixel(label * each + k)[colour]];
  }
}

}  // namespace

SplatCloud read_sog(BufferedSource source, std::int64_t most_bytes) {
  const std::string file = source.name();
  const std::string bytes =
      read_whole(source, Error(ErrorKind::input, fmt::format("{}: is larger than 1 GiB", file)));
  const SogArchive archive(file, bytes);
  const std::size_t count = archive.count();
  if (count == 0) throw Error(ErrorKind::input, fmt::format("{}: holds no splats", file));
  require_kept_bytes(file, count, archive.has("shN") ? 3 : 0, most_bytes);
  SplatCloud splats;
  const std::vector<RgbaImage> images =
      archive.images({{"means", 0}, {"means", 1}, {"scales"}, {"quats"}, {"sh0"}});
  const auto values = [&](const char* part, std::size_t channels) {
    return archive.version() == 2 ? std::vector{codebook_values(archive, part)}
                                  : stepped_values(archive, part, channels);
  };
  splats.xyz.reserve(3 * count);
  take_means(archive, images[0], images[1], splats);
  take_three(images[2], count, values("scales", 3), splats.log_scales);
  take_rotations(images[3], count, splats);
  take_three(images[4], count, values("sh0", 4), splats.colours);
  take_opacities(archive, images[4], splats);
  if (archive.has("shN")) take_harmonics(archive, splats);
  return splats;
}

}  // namespace skde::io
