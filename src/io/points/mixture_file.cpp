#include "io/points/mixture_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/packing.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/npy_header.hpp"

namespace skde::io {
namespace {

constexpr std::array<std::string_view, 10> kMemberNames{"mass", "x",  "y",  "z",  "xx",
                                                        "xy",   "xz", "yy", "yz", "zz"};
const std::vector<std::string> kAsMixture{std::string(kMixture)};

/// A mixture that is being written.
struct MixtureWriter {
  const std::string& path;
  const Mixture& mixture;
  MixtureFacts facts;  ///< with H
  const SplatLook& look;
  Progress& progress;

  /// Appends the members to the file, each as append(bytes, i) gives it.
  template <class Append>
  void members(OutputFile& file, const Append& append) const {
    write_records(file, mixture.size(), "ellipsoids", progress, append);
  }

  /// The numbers of kMemberNames of a member.
  std::array<double, 10> numbers(std::size_t i) const {
    const SamplesView members = mixture.members.view();
    const Vec3 mean = members.point(i);
    const Symmetric3 c = members.shape(i);
    return {members.weight(i), mean.x, mean.y, mean.z, c.xx, c.xy, c.xz, c.yy, c.yz, c.zz};
  }
};

// ------------------------------------------------------------------------------------------- PLY

constexpr std::array<std::string_view, 18> kSplatProperties{
    "x",       "y",     "z",     "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1",
    "scale_2", "rot_0", "rot_1", "rot_2",  "rot_3",  "mass",   "x_low",   "y_low",   "z_low"};

/// The quaternion w, x, y, z of the rotation whose matrix has these columns (Shepperd, J. Guidance
/// and Control 1(3), 1978: from the largest of the four).
std::array<double, 4> quaternion_of(const std::array<Vec3, 3>& columns) {
  const auto m = [&](int row, std::size_t column) { return columns[column][row]; };
  const double xx = m(0, 0), yy = m(1, 1), zz = m(2, 2);
  // Four times the squares of w, x, y and z.
  const std::array<double, 4> squares{1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz,
                                      1 - xx - yy + zz};
  const double wx = m(2, 1) - m(1, 2), wy = m(0, 2) - m(2, 0), wz = m(1, 0) - m(0, 1);
  const double xy = m(1, 0) + m(0, 1), xz = m(0, 2) + m(2, 0), yz = m(2, 1) + m(1, 2);
  const auto largest = std::ranges::max_element(squares) - squares.begin();
  const std::array<double, 4> q = largest == 0   ? std::array{squares[0], wx, wy, wz}
                                  : largest == 1 ? std::array{wx, squares[1], xy, xz}
                                  : largest == 2 ? std::array{wy, xy, squares[2], yz}
                                                 : std::array{wz, xz, yz, squares[3]};
  return unit_quaternion(q);
}

double determinant_of(const Symmetric3& c) {
  return c.xx * (c.yy * c.zz - c.yz * c.yz) - c.xy * (c.xy * c.zz - c.yz * c.xz) +
         c.xz * (c.xy * c.yz - c.yy * c.xz);
}

/// Logits of the share of each height in the largest, between 2 % and 98 %.
std::vector<double> opacities_of(const Mixture& mixture, std::span<const double> heights) {
  std::vector<double> all(heights.begin(), heights.end());
  const SamplesView members = mixture.members.view();
  for (std::size_t i = all.size(); i < mixture.size(); ++i)
    all.push_back(members.weight(i) / std::sqrt(determinant_of(members.shape(i))));
  const double most = all.empty() ? 1 : *std::ranges::max_element(all);
  for (double& value : all) {
    const double share = std::clamp(most > 0 ? value / most : 0, 0.02, 0.98);
    value = std::log(share / (1 - share));
  }
  return all;
}

/// Appends scale_0 to scale_2 and rot_0 to rot_3.
void append_turned(const Symmetric3& c, std::vector<float>& row) {
  Eigen3 eigen = eigen_decomposition(c);
  auto& [a, b, v] = eigen.vectors;
  const Vec3 cross{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  if (cross.x * v.x + cross.y * v.y + cross.z * v.z < 0) v = -1.0 * v;  // a rotation, no mirror
  for (const double variance : eigen.values)
    row.push_back(static_cast<float>(std::log(variance) / 2));
  for (const double part : quaternion_of(eigen.vectors)) row.push_back(static_cast<float>(part));
}

/// The properties of a splat, as kSplatProperties.
std::vector<float> splat_row(const MixtureWriter& writer, std::size_t i, double opacity) {
  constexpr double kGrey = 0.5;
  const SamplesView members = writer.mixture.members.view();
  const Vec3 mean = members.point(i);
  std::vector<float> row;
  for (int axis = 0; axis < 3; ++axis) row.push_back(static_cast<float>(mean[axis]));
  for (std::size_t band = 0; band < 3; ++band) {
    const double colour = writer.look.colours.empty() ? kGrey : writer.look.colours[3 * i + band];
    row.push_back(static_cast<float>((colour - kGrey) / kConstantHarmonic));
  }
  row.push_back(static_cast<float>(opacity));
  append_turned(members.shape(i), row);
  row.push_back(static_cast<float>(members.weight(i)));
  for (int axis = 0; axis < 3; ++axis)
    row.push_back(static_cast<float>(mean[axis] - row[static_cast<std::size_t>(axis)]));
  return row;
}

/// Throws if the row would be read as another member, or as none.
void require_readable(const MixtureWriter& writer, std::size_t i, const std::vector<float>& row) {
  const std::vector<double> read(row.begin() + 7, row.begin() + 14);
  Samples shape;
  const double mass = writer.mixture.members.view().weight(i);
  const bool lost = mass >= 0 && mass < std::numeric_limits<float>::min() && mass > 0;
  if (!lost && std::ranges::all_of(row, [](float v) { return std::isfinite(v); }) &&
      append_width(read, kAsMixture, WidthForm::length, shape))
    return;
  throw Error(ErrorKind::output,
              fmt::format("{}: ellipsoid {} has numbers beyond the range of float, as which PLY "
                          "holds them",
                          writer.path, i + 1),
              {"output", "write .npy or .csv"});
}

void write_splats(const MixtureWriter& writer) {
  std::string head = "ply\nformat binary_little_endian 1.0\n";
  for (const auto& [key, value] : writer.facts) head += fmt::format("comment {} {}\n", key, value);
  head += fmt::format("element vertex {}\n", writer.mixture.size());
  for (const std::string_view name : kSplatProperties)
    head += fmt::format("property float {}\n", name);
  OutputFile file(writer.path);
  file.write(head + "end_header\n");
  const std::vector<double> opacities = opacities_of(writer.mixture, writer.look.heights);
  writer.members(file, [&](std::string& bytes, std::size_t i) {
    const std::vector<float> row = splat_row(writer, i, opacities[i]);
    require_readable(writer, i, row);
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
  });
  file.commit();
}

/// Splats in a format without masses; what viewers show is kept, within its rounding.
void write_lossy_splats(const MixtureWriter& writer) {
  SplatCloud splats;
  const std::vector<double> opacities = opacities_of(writer.mixture, writer.look.heights);
  const auto append = [](std::vector<float>& to, const std::vector<float>& row, std::size_t first,
                         std::size_t count) {
    to.insert(to.end(), row.begin() + static_cast<std::ptrdiff_t>(first),
              row.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  for (std::size_t i = 0; i < writer.mixture.size(); ++i) {
    const std::vector<float> row = splat_row(writer, i, opacities[i]);
    append(splats.colours, row, 3, 3);
    append(splats.opacities, row, 6, 1);
    append(splats.log_scales, row, 7, 3);
    append(splats.rotations, row, 10, 4);
  }
  splats.xyz = writer.mixture.members.xyz;
  write_splats(writer.path, std::move(splats), writer.progress);
}

// ----------------------------------------------------------------------------------- NPY and CSV

nlohmann::ordered_json json_of_facts(const MixtureFacts& facts) {
  nlohmann::ordered_json json;
  for (const auto& [key, value] : facts) {
    std::vector<double> numbers;
    for (const std::string_view word : split_words(value))
      if (double number = 0; parse_number(word, number) && std::isfinite(number))
        numbers.push_back(number);
    if (numbers.empty() || numbers.size() != split_words(value).size())
      json[key] = value;
    else if (numbers.size() == 1)
      json[key] = numbers[0];
    else
      json[key] = numbers;
  }
  return json;
}

void write_npy_records(const MixtureWriter& writer) {
  OutputFile file(writer.path), json(writer.path + std::string(kNpyCompanion));
  json.write(json_text(json_of_facts(writer.facts)));
  file.write(npy_records_header(writer.mixture.size(), kMemberNames));
  writer.members(file, [&](std::string& bytes, std::size_t i) {
    const std::array<double, 10> row = writer.numbers(i);
    bytes.append(reinterpret_cast<const char*>(row.data()), sizeof row);
  });
  commit_both(json, file);
}

void write_table(const MixtureWriter& writer) {
  OutputFile file(writer.path);
  std::string head;
  for (const auto& [key, value] : writer.facts) head += fmt::format("# {} {}\n", key, value);
  file.write(head + fmt::format("{}\n", fmt::join(kMemberNames, ",")));
  writer.members(file, [&](std::string& bytes, std::size_t i) {
    bytes += fmt::format("{}\n", fmt::join(writer.numbers(i), ","));
  });
  file.commit();
}

/// A row of the table of formats of mixtures.
struct MixtureFormat {
  std::string_view extension;
  void (*write)(const MixtureWriter& writer);
};
constexpr std::array<MixtureFormat, 3> kMixtureFormats{
    {{".ply", write_splats}, {".npy", write_npy_records}, {".csv", write_table}}};

constexpr MixtureFormat kLossySplats{"", write_lossy_splats};

const MixtureFormat& mixture_format_of(const std::string& path) {
  if (loses_masses(path)) return kLossySplats;
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const MixtureFormat& format : kMixtureFormats)
    if (format.extension == extension) return format;
  throw Error(ErrorKind::usage,
              fmt::format("{}: mixtures can be written as {}, and without masses as {}", path,
                          mixture_extensions(), splat_extensions()),
              {"output", "use one of these extensions"});
}

/// Throws if the members would not be read again.
void require_members(const std::string& path, const Mixture& mixture, const SplatLook& look) {
  const SamplesView members = mixture.members.view();
  const std::size_t count = mixture.size();
  if (members.weights.size() != count || members.shapes.size() != 6 * count ||
      (!look.colours.empty() && look.colours.size() != 3 * count) ||
      (!look.heights.empty() && look.heights.size() != count))
    throw std::logic_error("the columns of a mixture differ in length");
  if (count == 0)
    throw Error(ErrorKind::input, fmt::format("{}: the mixture has no ellipsoids", path));
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 mean = members.point(i);
    const double mass = members.weight(i);
    if (mass >= 0 && std::isfinite(mass + mean.x + mean.y + mean.z) &&
        is_positive_definite(members.shape(i), 0))
      continue;
    throw Error(ErrorKind::input,
                fmt::format("{}: ellipsoid {} has a negative mass, a covariance that is not "
                            "positive definite, or numbers that are not finite",
                            path, i + 1));
  }
}

// --------------------------------------------------------------------------------------- reading

/// Takes H from the facts, where it is stated; returns whether it is. Zeros state that it is
/// unknown.
bool take_kernel(const std::string& path, MixtureFile& file) {
  const auto fact = std::ranges::find(file.facts, kKernelCovariance, &MixtureFact::key);
  if (fact == file.facts.end()) return false;
  std::array<double, 6> entries{};
  const std::vector<std::string_view> words = split_words(fact->value);
  bool good = words.size() == entries.size();
  for (std::size_t i = 0; good && i < entries.size(); ++i)
    good = parse_number(words[i], entries[i]) && std::isfinite(entries[i]);
  const auto [xx, xy, xz, yy, yz, zz] = entries;
  const Symmetric3 H{xx, xy, xz, yy, yz, zz};
  if (!good || (H != Symmetric3{} && !is_positive_definite(H)))
    throw Error(ErrorKind::input,
                fmt::format("{}: {} must be 6 numbers of a positive definite matrix, or zeros; "
                            "got {}",
                            path, kKernelCovariance, excerpt(fact->value)));
  file.mixture.H = H;
  return H != Symmetric3{};
}

MixtureFacts facts_of_json(const std::string& path, const OpenFiles& files) {
  MixtureFacts facts;
  if (std::error_code none; !std::filesystem::is_regular_file(path, none)) return facts;
  BufferedSource source(files.source(path));
  const std::string text = read_whole(source, Error(ErrorKind::input, path + ": is too large"));
  const nlohmann::ordered_json json = parse_json(text, path);
  for (const auto& [key, value] : json.items()) {
    std::string words = value.is_string() ? value.get<std::string>() : "";
    if (value.is_number()) words = json_line(value);
    if (value.is_array())
      for (const auto& part : value) words += (words.empty() ? "" : " ") + json_line(part);
    facts.push_back({key, on_one_line(words)});
  }
  return facts;
}

}  // namespace

std::string mixture_extensions() { return extensions_of(kMixtureFormats); }

bool loses_masses(const std::string& path) {
  const SplatFormat* const splats = splat_format_of(path);
  return splats != nullptr && splats != &splat_formats().back();
}

void require_mixture_extension(const std::string& path) {
  static_cast<void>(mixture_format_of(path));
}

void write_mixture(const std::string& path, const Mixture& mixture, const MixtureFacts& facts,
                   const SplatLook& look, Progress& progress) {
  const MixtureFormat& format = mixture_format_of(path);
  require_members(path, mixture, look);
  const Symmetric3& H = mixture.H;
  MixtureFacts all{{"mixture", "density = sum of mass N(mean, covariance)"}};
  if (H != Symmetric3{})
    all.push_back({std::string(kKernelCovariance),
                   fmt::format("{} {} {} {} {} {}", H.xx, H.xy, H.xz, H.yy, H.yz, H.zz)});
  for (const auto& [key, value] : facts)
    if (key != kKernelCovariance && std::ranges::find(all, key, &MixtureFact::key) == all.end())
      all.push_back({key, on_one_line(value)});
  format.write({path, mixture, std::move(all), look, progress});
}

MixtureFacts facts_at_head(BufferedSource source) {
  constexpr std::size_t kMostLines = 10000;
  MixtureFacts facts;
  bool is_ply = false;
  for (std::size_t number = 0; number < kMostLines; ++number) {
    const auto line = source.line();
    if (!line) break;
    std::string_view text = trimmed(*line);
    if (number == 0) is_ply = text == "ply";
    const std::string_view mark = is_ply ? "comment " : "#";
    if (!text.starts_with(mark)) {
      if (!is_ply || text == "end_header") break;
      continue;
    }
    text = trimmed(text.substr(mark.size()));
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    facts.push_back({std::string(text.substr(0, end)), std::string(trimmed(text.substr(end)))});
  }
  return facts;
}

MixtureFile read_mixture(const std::string& path, Progress& progress, const OpenFiles& files) {
  ColumnSelection columns;
  columns.widths = kAsMixture;
  CloudStream stream({path}, columns, NonFinite::error, {.files = files});
  MixtureFile file;
  file.mixture.members =
      load_cloud(stream, std::numeric_limits<std::uint64_t>::max(), progress).points;
  if (file.mixture.size() == 0)
    throw Error(ErrorKind::input, fmt::format("{}: has no ellipsoid with a mass above 0", path));
  const bool is_npy = lower_case(without_packer_extension(path)).ends_with(".npy");
  file.facts = is_npy ? facts_of_json(path + std::string(kNpyCompanion), files)
                      : facts_at_head(decompressed(BufferedSource(files.source(path))));
  file.states_kernel = take_kernel(path, file);
  std::erase_if(file.facts, [](const MixtureFact& fact) {
    return fact.key == kKernelCovariance || fact.key == "mixture";
  });
  return file;
}

}  // namespace skde::io
