#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "core/version.hpp"
#include "io/points/splats/codebook.hpp"
#include "io/points/splats/sog_files.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/points/splats/webp_image.hpp"
#include "io/points/splats/zip_members.hpp"

namespace skde::io {
namespace {

constexpr std::uint64_t kPaletteSeed = 1;

/// An image of one pixel a splat, as square as can be: readers take the width from the images.
RgbaImage image_of_splats(std::size_t count) {
  RgbaImage image;
  image.width = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  image.height = (count + image.width - 1) / image.width;
  image.bytes.assign(4 * image.pixels(), 0xff);
  return image;
}

std::uint8_t byte_of_share(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

/// The box of the coordinates as they are stored.
struct SogBox {
  std::array<double, 3> least{}, most{};

  explicit SogBox(const std::vector<double>& xyz) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = xyz[axis], high = xyz[axis];
      for (std::size_t i = axis; i < xyz.size(); i += 3) {
        low = std::min(low, xyz[i]);
        high = std::max(high, xyz[i]);
      }
      least[axis] = to_sog_coordinate(low);
      most[axis] = to_sog_coordinate(high);
    }
  }
};

/// The low bytes, and the high ones, of the coordinates in 16 bits.
std::array<RgbaImage, 2> images_of_means(const SplatCloud& splats, const SogBox& box) {
  constexpr double kCoordinateSteps = 65535;
  std::array<RgbaImage, 2> images{image_of_splats(splats.size()), image_of_splats(splats.size())};
  for (std::size_t i = 0; i < splats.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double extent = box.most[axis] - box.least[axis];
      const double place = to_sog_coordinate(splats.xyz[3 * i + axis]) - box.least[axis];
      const auto step =
          extent > 0 ? std::lround(std::clamp(place / extent, 0.0, 1.0) * kCoordinateSteps) : 0;
      images[0].pixel(i)[axis] = static_cast<std::uint8_t>(step & 0xff);
      images[1].pixel(i)[axis] = static_cast<std::uint8_t>(step >> 8);
    }
  return images;
}

RgbaImage image_of_rotations(const SplatCloud& splats) {
  RgbaImage image = image_of_splats(splats.size());
  for (std::size_t i = 0; i < splats.size(); ++i) {
    const float* const q = splats.rotations.data() + 4 * i;
    std::size_t largest = 0;
    for (std::size_t part = 1; part < 4; ++part)
      if (std::abs(q[part]) > std::abs(q[largest])) largest = part;
    const double sign = q[largest] < 0 ? -1 : 1;
    for (std::size_t k = 0; k < 3; ++k)
      image.pixel(i)[k] = byte_of_share(
          (sign * std::sqrt(2.0) * static_cast<double>(q[kKeptParts[largest][k]]) + 1) / 2);
    image.pixel(i)[3] = static_cast<std::uint8_t>(kFirstQuaternionTag + largest);
  }
  return image;
}

/// Indices into a codebook of three values a splat.
RgbaImage image_of_three(const std::vector<float>& values, const Codebook& codebook) {
  RgbaImage image = image_of_splats(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    image.pixel(i / 3)[i % 3] = codebook.nearest(values[i]);
  return image;
}

void put_opacities(const SplatCloud& splats, RgbaImage& image) {
  for (std::size_t i = 0; i < splats.size(); ++i)
    image.pixel(i)[3] =
        byte_of_share(1 / (1 + std::exp(-static_cast<double>(splats.opacities[i]))));
}

RgbaImage image_of_labels(const Palette& palette) {
  RgbaImage image = image_of_splats(palette.labels.size());
  for (std::size_t i = 0; i < palette.labels.size(); ++i) {
    image.pixel(i)[0] = static_cast<std::uint8_t>(palette.labels[i] & 0xff);
    image.pixel(i)[1] = static_cast<std::uint8_t>(palette.labels[i] >> 8);
    image.pixel(i)[2] = 0;
  }
  return image;
}

/// The entries side by side, 64 a row; an entry is a pixel a harmonic, its colours red, green,
/// blue.
RgbaImage image_of_palette(const Palette& palette, std::size_t harmonics,
                           const Codebook& codebook) {
  RgbaImage image;
  image.width = kPaletteRow * harmonics;
  image.height = (palette.size + kPaletteRow - 1) / kPaletteRow;
  image.bytes.assign(4 * image.pixels(), 0xff);
  for (std::size_t entry = 0; entry < palette.size; ++entry)
    for (std::size_t colour = 0; colour < 3; ++colour)
      for (std::size_t k = 0; k < harmonics; ++k)
        image.pixel(entry * harmonics + k)[colour] =
            codebook.nearest(palette.entries[(entry * 3 + colour) * harmonics + k]);
  return image;
}

/// As many as splat-transform takes: the largest power of two times 1024 that is no more than the
/// splats, and for fewer one each.
std::size_t palette_entries(std::size_t splats) {
  constexpr std::size_t kFewest = 1024;
  return splats < kFewest ? splats : std::min(kMostPalette, std::bit_floor(splats));
}

/// Members of the archive and their text in meta.json, made side by side.
class SogFile {
 public:
  SogFile(const SplatCloud& splats, const Progress& progress)
      : splats_(splats), progress_(progress), box_(splats.xyz) {}

  std::vector<NewZipMember> members() {
    std::vector<NewZipMember> all{{"meta.json", ""},   {"means_l.webp", ""}, {"means_u.webp", ""},
                                  {"scales.webp", ""}, {"quats.webp", ""},   {"sh0.webp", ""}};
    std::string scales, colours, harmonics;
    std::vector<std::function<void()>> steps{
        [&] {
          const Codebook codebook(splats_.colours);
          RgbaImage image = image_of_three(splats_.colours, codebook);
          put_opacities(splats_, image);
          all[5].bytes = lossless_webp(image);
          colours = text_of(codebook);
        },
        [&] {
          const Codebook codebook(splats_.log_scales);
          all[3].bytes = lossless_webp(image_of_three(splats_.log_scales, codebook));
          scales = text_of(codebook);
        },
        [&] {
          const auto [low, high] = images_of_means(splats_, box_);
          all[2].bytes = lossless_webp(high);
          all[1].bytes = lossless_webp(low);
        },
        [&] { all[4].bytes = lossless_webp(image_of_rotations(splats_)); }};
    run(steps);
    if (splats_.bands > 0) add_harmonics(all, harmonics);
    all[0].bytes = fmt::format(
        R"({{"version":2,"asset":{{"generator":"skde {}"}},"count":{},"means":{{"mins":[{}],"maxs":[{}],)"
        R"("files":["means_l.webp","means_u.webp"]}},"scales":{{"codebook":[{}],"files":["scales.webp"]}},)"
        R"("quats":{{"files":["quats.webp"]}},"sh0":{{"codebook":[{}],"files":["sh0.webp"]}}{}}})",
        kVersion, splats_.size(), fmt::join(box_.least, ","), fmt::join(box_.most, ","), scales,
        colours, harmonics);
    return all;
  }

 private:
  static std::string text_of(const Codebook& codebook) {
    return fmt::format("{}", fmt::join(codebook.values(), ","));
  }

  /// Runs the steps on as many threads as there are.
  void run(const std::vector<std::function<void()>>& steps) const {
    FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t i = 0; i < steps.size(); ++i)
      failure.keep([&] {
        progress_.throw_if_cancelled();
        steps[i]();
      });
    failure.rethrow();
  }

  void add_harmonics(std::vector<NewZipMember>& all, std::string& text) const {
    const std::size_t each = splats_.harmonics_each();
    const Palette palette = palette_of(splats_.harmonics, 3 * each, palette_entries(splats_.size()),
                                       kPaletteSeed, progress_);
    const Codebook codebook(palette.entries);
    NewZipMember entries{"shN_centroids.webp", ""}, labels{"shN_labels.webp", ""};
    run({[&] { entries.bytes = lossless_webp(image_of_palette(palette, each, codebook)); },
         [&] { labels.bytes = lossless_webp(image_of_labels(palette)); }});
    all.push_back(std::move(entries));
    all.push_back(std::move(labels));
    text = fmt::format(
        R"(,"shN":{{"count":{},"bands":{},"codebook":[{}],"files":["shN_centroids.webp","shN_labels.webp"]}})",
        palette.size, splats_.bands, text_of(codebook));
  }

  const SplatCloud& splats_;
  const Progress& progress_;
  SogBox box_;
};

}  // namespace

void write_sog(const std::string& path, const SplatCloud& splats, Progress& progress) {
  if (splats.size() > kMostWebpSide * kMostWebpSide)
    throw Error(ErrorKind::input, fmt::format("{}: holds at most {} splats, not {}", path,
                                              kMostWebpSide * kMostWebpSide, splats.size()));
  progress.begin("writing " + path, 0, "splats");
  const std::vector<NewZipMember> members = SogFile(splats, progress).members();
  OutputFile file(path);
  write_zip(file, members);
  file.commit();
}

}  // namespace skde::io
