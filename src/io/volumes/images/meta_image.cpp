#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostMetaLines = 10000;
/// Prefix of skde's own fields; programs that do not know them skip them.
constexpr std::string_view kMetaPrefix = "skde.";

/// Returns `blanks` bytes of padding. Readers accept at most 255 bytes per line.
std::string filling(std::size_t blanks) {
  constexpr std::size_t kLine = 200;
  const std::string line = fmt::format("\n{}room = ", kMetaPrefix);
  std::string text(blanks % kLine, ' ');  // at the end of the preceding line
  for (std::size_t lines = blanks / kLine; lines > 0; --lines)
    text += line + std::string(kLine - line.size(), '.');
  return text;
}

/// Returns the header; the padding follows the comment.
std::string header_text(const Grid& grid, Precision precision, const VolumeFields& fields,
                        std::size_t blanks) {
  const Vec3 origin = grid.first_centre(), &step = grid.spacing;
  std::string text = fmt::format(
      "ObjectType = Image\nNDims = 3\nComment = density volume{}\nBinaryData = True\n"
      "BinaryDataByteOrderMSB = False\nCompressedData = False\n"
      "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = {} {} {}\nCenterOfRotation = 0 0 0\n"
      "ElementSpacing = {} {} {}\nDimSize = {} {} {}\n",
      filling(blanks), origin.x, origin.y, origin.z, step.x, step.y, step.z, grid.dims[0],
      grid.dims[1], grid.dims[2]);
  for (const VolumeField& field : fields)
    text +=
        fmt::format("{}{} = {}\n", kMetaPrefix, field.name, on_one_line(field_text(field, " ")));
  return text + fmt::format("ElementType = {}\nElementDataFile = LOCAL\n",
                            precision == Precision::f32 ? "MET_FLOAT" : "MET_DOUBLE");
}

struct MetaHeader {
  std::map<std::string, std::string, std::less<>> entries;
  VolumeFields fields;

  /// The value of the first of these names that is present.
  std::string_view at(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const auto found = entries.find(name); found != entries.end()) return found->second;
    return {};
  }
  /// Returns true if the value begins like what MetaIO reads as true: "True", "t", "1".
  bool says(std::initializer_list<std::string_view> names) const {
    const std::string_view value = at(names);
    return value.starts_with('T') || value.starts_with('t') || value.starts_with('1');
  }
};

/// Reads lines "Name = value" up to the one that says where the values are.
MetaHeader read_meta_entries(BufferedSource& source) {
  MetaHeader header;
  for (std::size_t lines = 0; lines < kMostMetaLines; ++lines) {
    const auto line = source.line();
    if (!line) break;
    const std::size_t equals = line->find('=');
    if (equals == line->npos)
      refuse_volume(source.name(), fmt::format("header line {} cannot be parsed", excerpt(*line)));
    const std::string_view key = trimmed(line->substr(0, equals)),
                           value = trimmed(line->substr(equals + 1));
    if (key.starts_with(kMetaPrefix)) {
      if (auto field = field_from_text(key.substr(kMetaPrefix.size()), value))
        header.fields.push_back(std::move(*field));
      continue;
    }
    header.entries[std::string(key)] = std::string(value);
    if (key == "ElementDataFile") return header;
  }
  refuse_volume(source.name(), "ends inside its header, or is not a MetaImage file");
}

/// The numbers of an entry; empty if it is missing.
template <std::size_t Count>
std::optional<std::array<double, Count>> numbers(const std::string& name, const MetaHeader& header,
                                                 std::initializer_list<std::string_view> keys) {
  const std::string_view text = header.at(keys);
  if (text.empty()) return std::nullopt;
  const std::vector<std::string_view> words = split_words(text);
  std::array<double, Count> values{};
  bool good = words.size() == Count;
  for (std::size_t i = 0; good && i < Count; ++i) good = parse_number(words[i], values[i]);
  if (!good)
    refuse_volume(name, fmt::format("its {0} must be {2} numbers; got {1}", *keys.begin(),
                                    excerpt(text), Count));
  return values;
}

ScalarType type_in(const std::string& name, std::string_view given) {
  using Row = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<Row, 12> kTypes{{{"MET_FLOAT", ScalarType::f32},
                                               {"MET_DOUBLE", ScalarType::f64},
                                               {"MET_CHAR", ScalarType::i8},
                                               {"MET_UCHAR", ScalarType::u8},
                                               {"MET_SHORT", ScalarType::i16},
                                               {"MET_USHORT", ScalarType::u16},
                                               {"MET_INT", ScalarType::i32},
                                               {"MET_UINT", ScalarType::u32},
                                               {"MET_LONG_LONG", ScalarType::i64},
                                               {"MET_ULONG_LONG", ScalarType::u64},
                                               {"MET_LONG", ScalarType::i64},
                                               {"MET_ULONG", ScalarType::u64}}};
  for (const auto& [type_name, type] : kTypes)
    if (type_name == given) return type;
  refuse_volume(name, fmt::format("values of type {} are not supported", excerpt(given)));
}

FileAxes axes_in(const std::string& name, const MetaHeader& header) {
  const auto given = numbers<3>(name, header, {"DimSize"});
  if (header.at({"NDims"}) != "3" || !given) refuse_volume(name, "must have three dimensions");
  std::array<std::int64_t, 3> sizes{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = (*given)[axis];
    if (size != std::floor(size))
      refuse_volume(name, fmt::format("its DimSize must be 3 integers; got {}",
                                      excerpt(header.at({"DimSize"}))));
    sizes[axis] = size >= 1 && size < 0x1p31 ? static_cast<std::int64_t>(size) : 0;
  }
  const auto spacing = numbers<3>(name, header, {"ElementSpacing", "ElementSize"})
                           .value_or(std::array<double, 3>{1, 1, 1});
  const auto first =
      numbers<3>(name, header, {"Offset", "Position", "Origin"}).value_or(std::array<double, 3>{});
  const auto m = numbers<9>(name, header, {"TransformMatrix", "Rotation", "Orientation"})
                     .value_or(std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  std::array<Vec3, 3> vectors;
  for (std::size_t f = 0; f < 3; ++f)
    vectors[f] = spacing[f] * Vec3{m[3 * f], m[3 * f + 1], m[3 * f + 2]};
  return axes_along(name, sizes, {first[0], first[1], first[2]}, vectors);
}

/// MetaIO gives the values without these, and what it offers to convert them by is not
/// slope element + offset: nobody knows what a file means by them.
void require_plain_intensities(const std::string& name, const MetaHeader& header) {
  constexpr const char *kSlope = "ElementToIntensityFunctionSlope",
                       *kOffset = "ElementToIntensityFunctionOffset";
  const double slope = numbers<1>(name, header, {kSlope}).value_or(std::array{1.0})[0],
               offset = numbers<1>(name, header, {kOffset}).value_or(std::array{0.0})[0];
  if (slope != 1 || offset != 0)
    refuse_volume(name,
                  fmt::format("its {} is {} and its {} is {}; skde does not apply them", kSlope,
                              slope, kOffset, offset),
                  "apply them to the values and save it without them, or remove them from the "
                  "header if the values need no scaling");
}

}  // namespace

std::unique_ptr<VolumeWriter> meta_image_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected) {
  return headed_writer(path, grid, precision, expected,
                       [=](const VolumeFields& fields, std::size_t blanks) {
                         return header_text(grid, precision, fields, blanks);
                       });
}

ImageHeader read_meta_image_header(BufferedSource& source, const OpenFiles&) {
  const std::string& name = source.name();
  const MetaHeader header = read_meta_entries(source);
  require_plain_intensities(name, header);
  if (const std::string_view channels = header.at({"ElementNumberOfChannels"});
      !channels.empty() && channels != "1")
    refuse_volume(name, "has several values in each cell");
  ImageHeader image;
  image.axes = axes_in(name, header);
  image.head = {exact_grid(grid_along(name, image.axes), header.fields),
                !header.at({"Offset", "Position", "Origin"}).empty(), metadata_from(header.fields)};
  image.type = type_in(name, header.at({"ElementType"}));
  image.big_endian = header.says({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"});
  if (header.says({"CompressedData"})) image.packing = ImageHeader::Packing::zlib;
  image.text = !header.says({"BinaryData"});
  if (const std::string_view file = header.at({"ElementDataFile"}); lower_case(file) != "local")
    image.data_file = file;
  if (const auto size = numbers<1>(name, header, {"HeaderSize"})) {
    if (!((*size)[0] >= -1 && (*size)[0] < 0x1p53))
      refuse_volume(name, "its HeaderSize must be a number of bytes");
    const bool raw = !image.text && image.packing == ImageHeader::Packing::none;
    image.byte_skip = static_cast<std::int64_t>(std::max((*size)[0], raw ? -1.0 : 0.0));
    image.skip_key = "its HeaderSize";
  }
  return image;
}

}  // namespace skde::io
