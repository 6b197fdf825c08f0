#include "io/volumes/images/nifti_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "io/bytes/packing.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

// Offsets of the header's fields, as in nifti1.h.
constexpr std::size_t kDim = 40, kDatatype = 70, kBitpix = 72, kPixdim = 76, kVoxOffset = 108,
                      kSlope = 112, kIntercept = 116, kUnits = 123, kDescription = 148,
                      kQformCode = 252, kSformCode = 254, kQuatern = 256, kQoffset = 268,
                      kSrow = 280, kMagicOffset = 344;
constexpr std::size_t kLongestExtensions = std::size_t{16} << 20;
constexpr std::string_view kMark = "skde\n";
// Directions that are read from floats are exact only to about their last digits.
constexpr double kFloatTolerance = 1e-5;

/// Reads numbers in the byte order of the file.
class HeaderBytes {
 public:
  HeaderBytes(std::string bytes, bool big_endian)
      : bytes_(std::move(bytes)), big_endian_(big_endian) {}

  template <class Number>
  Number at(std::size_t position) const {
    std::array<char, sizeof(Number)> raw{};
    std::memcpy(raw.data(), bytes_.data() + position, sizeof(Number));
    if (big_endian_) std::ranges::reverse(raw);
    return std::bit_cast<Number>(raw);
  }
  double real(std::size_t position) const { return static_cast<double>(at<float>(position)); }
  unsigned char byte(std::size_t position) const { return at<unsigned char>(position); }

 private:
  std::string bytes_;
  bool big_endian_;
};

std::string read_part(BufferedSource& source, std::size_t count) {
  std::string bytes(count, '\0');
  if (source.read(bytes.data(), count) != count)
    refuse_volume(source.name(), "ends inside its header; the file is truncated");
  return bytes;
}

std::array<std::int64_t, 3> sizes_in(const std::string& name, const HeaderBytes& header) {
  const int dimensions = header.at<std::int16_t>(kDim);
  std::array<std::int64_t, 3> sizes{};
  for (int d = 1; d <= 7; ++d) {
    const int size = header.at<std::int16_t>(kDim + 2 * static_cast<std::size_t>(d));
    if (d <= 3 && d <= dimensions) sizes[static_cast<std::size_t>(d - 1)] = size;
    if (d > 3 && d <= dimensions && size > 1)
      refuse_volume(name, fmt::format("has {} volumes; skde reads files of one", size),
                    "extract one of them");
  }
  if (dimensions < 3 || dimensions > 7) refuse_volume(name, "must have three dimensions");
  return sizes;
}

/// Axes from the quaternion, as described in nifti1.h.
FileAxes axes_by_quaternion(const std::string& name, const HeaderBytes& header,
                            const std::array<std::int64_t, 3>& sizes) {
  constexpr double kNoTerm = 1e-7;  // below it a is 0: b, c and d are rounded floats
  double b = header.real(kQuatern), c = header.real(kQuatern + 4), d = header.real(kQuatern + 8);
  const double squares = b * b + c * c + d * d;
  const double a = 1 - squares < kNoTerm ? 0 : std::sqrt(1 - squares);
  if (a == 0) {
    const double length = std::sqrt(squares);
    b /= length;
    c /= length;
    d /= length;
  }
  const double mirrored = header.real(kPixdim) < 0 ? -1 : 1;
  const Vec3 step{header.real(kPixdim + 4), header.real(kPixdim + 8),
                  mirrored * header.real(kPixdim + 12)};
  const Vec3 first{header.real(kQoffset), header.real(kQoffset + 4), header.real(kQoffset + 8)};
  const std::array<Vec3, 3> vectors{
      step.x * Vec3{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
      step.y * Vec3{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
      step.z * Vec3{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - c * c - b * b}};
  return axes_along(name, sizes, first, vectors, kFloatTolerance);
}

FileAxes axes_in(const std::string& name, const HeaderBytes& header, bool& placed) {
  const std::array<std::int64_t, 3> sizes = sizes_in(name, header);
  placed = true;
  if (header.at<std::int16_t>(kSformCode) > 0) {
    std::array<Vec3, 3> vectors;
    Vec3 first;
    for (int row = 0; row < 3; ++row) {
      const std::size_t at = kSrow + 16 * static_cast<std::size_t>(row);
      for (std::size_t f = 0; f < 3; ++f) vectors[f][row] = header.real(at + 4 * f);
      first[row] = header.real(at + 12);
    }
    return axes_along(name, sizes, first, vectors, kFloatTolerance);
  }
  if (header.at<std::int16_t>(kQformCode) > 0) return axes_by_quaternion(name, header, sizes);
  placed = false;
  FileAxes axes{sizes, {0, 1, 2}, {}, {}};
  for (int axis = 0; axis < 3; ++axis)
    axes.step[axis] = std::abs(header.real(kPixdim + 4 * (static_cast<std::size_t>(axis) + 1)));
  return axes;
}

ScalarType type_in(const std::string& name, int datatype) {
  using Row = std::pair<int, ScalarType>;
  static constexpr std::array<Row, 10> kTypes{{{2, ScalarType::u8},
                                               {4, ScalarType::i16},
                                               {8, ScalarType::i32},
                                               {16, ScalarType::f32},
                                               {64, ScalarType::f64},
                                               {256, ScalarType::i8},
                                               {512, ScalarType::u16},
                                               {768, ScalarType::u32},
                                               {1024, ScalarType::i64},
                                               {1280, ScalarType::u64}}};
  for (const auto& [code, type] : kTypes)
    if (code == datatype) return type;
  refuse_volume(name, fmt::format("values of NIfTI type {} are not supported", datatype));
}

/// The fields that skde wrote as lines "name=value".
VolumeFields fields_in(std::string_view text) {
  VolumeFields fields;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    if (equals != line.npos)
      if (auto field = field_from_text(line.substr(0, equals), line.substr(equals + 1)))
        fields.push_back(std::move(*field));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return fields;
}

/// Reads the extensions, which have `bytes` bytes in all.
VolumeFields read_extensions(BufferedSource& source, std::uint64_t bytes, bool big_endian) {
  VolumeFields fields;
  while (bytes >= 16) {
    const HeaderBytes lead(read_part(source, 8), big_endian);
    const std::int64_t size = lead.at<std::int32_t>(0);
    if (size < 16 || static_cast<std::uint64_t>(size) > bytes)
      refuse_volume(source.name(), "has a header extension of invalid size; it is broken");
    const std::string text = read_part(source, static_cast<std::size_t>(size) - 8);
    if (lead.at<std::int32_t>(4) == kNiftiComment && text.starts_with(kMark))
      fields = fields_in(text.substr(0, text.find('\0')));
    bytes -= static_cast<std::uint64_t>(size);
  }
  read_part(source, static_cast<std::size_t>(bytes));
  return fields;
}

/// Reads what is between the header and the values.
VolumeFields read_to_values(BufferedSource& source, std::uint64_t offset, bool big_endian) {
  const bool has_extensions = read_part(source, kNiftiLead - kNiftiHeader)[0] != 0;
  const std::uint64_t bytes = offset - kNiftiLead;
  if (has_extensions) return read_extensions(source, bytes, big_endian);
  read_part(source, bytes);
  return {};
}

/// Returns the exact grid of the fields if the header's floats agree with it.
Grid exact_of_floats(const Grid& grid, const VolumeFields& fields) {
  const auto rounded = [](Vec3 v) {
    return Vec3{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  const std::optional<Grid> exact = grid_in(fields, grid.dims);
  if (exact && rounded(exact->first_centre()) == rounded(grid.first_centre()) &&
      rounded(exact->spacing) == rounded(grid.spacing))
    return *exact;
  return grid;
}

std::string units_in(unsigned char code) {
  constexpr std::array<const char*, 4> kNames{"", "m", "mm", "um"};
  return (code & 7) < 4 ? kNames[code & 7] : "";
}

/// The other file of a pair, without ".gz".
std::string name_of_values(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".img").string();
}

template <class Number>
void put(std::string& bytes, std::size_t position, Number value) {
  std::memcpy(bytes.data() + position, &value, sizeof value);
}

/// The text of a field on one line.
std::string field_line(const VolumeField& field) {
  std::string text = field_text(field, " ");
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{}={}\n", field.name, text);
}

std::string header_bytes(const Grid& grid, Precision precision, const std::string& units,
                         std::size_t offset) {
  std::string bytes(kNiftiHeader, '\0');
  put(bytes, 0, static_cast<std::int32_t>(kNiftiHeader));
  put(bytes, kDim, std::int16_t{3});
  for (std::size_t d = 1; d <= 7; ++d)
    put(bytes, kDim + 2 * d, static_cast<std::int16_t>(d <= 3 ? grid.dims[d - 1] : 1));
  put(bytes, kDatatype, static_cast<std::int16_t>(precision == Precision::f32 ? 16 : 64));
  put(bytes, kBitpix, static_cast<std::int16_t>(8 * value_bytes(precision)));
  put(bytes, kPixdim, 1.0f);
  put(bytes, kVoxOffset, static_cast<float>(offset));
  put(bytes, kSlope, 1.0f);
  for (std::size_t unit = 1; unit <= 3; ++unit)
    if (!units.empty() && units == units_in(static_cast<unsigned char>(unit)))
      bytes[kUnits] = static_cast<char>(unit);
  constexpr std::string_view kText = "written by skde";
  std::ranges::copy(kText, bytes.begin() + kDescription);
  // Code 2, "aligned": the coordinates are those of the samples.
  put(bytes, kSformCode, std::int16_t{2});
  for (int row = 0; row < 3; ++row) {
    const auto r = static_cast<std::size_t>(row);
    put(bytes, kPixdim + 4 * (r + 1), static_cast<float>(grid.spacing[row]));
    put(bytes, kSrow + 16 * r + 4 * r, static_cast<float>(grid.spacing[row]));
    put(bytes, kSrow + 16 * r + 12, static_cast<float>(grid.first_centre()[row]));
  }
  std::memcpy(bytes.data() + kMagicOffset, "n+1", 4);
  return bytes;
}

}  // namespace

ImageHeader read_nifti_header(BufferedSource& source, const OpenFiles&) {
  if (is_gzip(source)) source = unpacked_zlib(std::move(source));
  const std::string& name = source.name();
  const std::string bytes = read_part(source, kNiftiHeader);
  const bool big_endian =
      HeaderBytes(bytes, true).at<std::int32_t>(0) == std::int32_t{kNiftiHeader};
  const HeaderBytes header(bytes, big_endian);
  const std::string_view magic = std::string_view(bytes).substr(kMagicOffset, 3);
  if (header.at<std::int32_t>(0) != std::int32_t{kNiftiHeader} ||
      (magic != "n+1" && magic != "ni1"))
    refuse_volume(name, "its first bytes are not a NIfTI-1 signature", "save it as .nii");
  const bool is_pair = magic == "ni1";
  ImageHeader result;
  result.axes = axes_in(name, header, result.head.placed);
  result.type = type_in(name, header.at<std::int16_t>(kDatatype));
  result.big_endian = big_endian;
  if (const double slope = header.real(kSlope); slope != 0 && std::isfinite(slope)) {
    result.slope = slope;
    if (const double intercept = header.real(kIntercept); std::isfinite(intercept))
      result.intercept = intercept;
  }
  const double offset = header.real(kVoxOffset), least = is_pair ? 0 : kNiftiLead;
  if (!(offset >= least) || offset != std::floor(offset) ||
      offset > static_cast<double>(kLongestExtensions))
    refuse_volume(name, fmt::format("its values begin at byte {}, which is invalid", offset));
  VolumeFields fields;
  if (is_pair) {
    const std::filesystem::path values = name_of_values(name), packed = values.string() + ".gz";
    std::error_code unknown;
    result.data_file =
        (std::filesystem::exists(packed, unknown) ? packed : values).filename().string();
    result.packing = ImageHeader::Packing::by_signature;
    result.unpacked_skip = static_cast<std::uint64_t>(offset);
  } else {
    fields = read_to_values(source, static_cast<std::uint64_t>(offset), big_endian);
  }
  result.head.grid = exact_of_floats(grid_along(name, result.axes), fields);
  result.head.metadata = metadata_from(fields);
  if (std::string& units = result.head.metadata.units; units.empty())
    units = units_in(header.byte(kUnits));
  return result;
}

std::vector<std::string> nifti_files_beside(const std::string& path, Presence) {
  BufferedSource source(open_source(path));
  if (read_nifti_header(source, {}).data_file.empty()) return {};
  const std::string values = name_of_values(path);
  return {values, values + ".gz"};
}

std::string nifti_head(const std::string& path, const Grid& grid, Precision precision,
                       const std::string& units, const VolumeFields& fields, std::size_t blanks) {
  if (std::ranges::any_of(grid.dims, [](std::int64_t cells) { return cells > 32767; }))
    throw Error(ErrorKind::output,
                fmt::format("{}: NIfTI-1 holds at most 32767 cells along an axis", path),
                {"dims", "use smaller `dims`, or another format"});
  std::string text(kMark);
  for (const VolumeField& field : fields) text += field_line(field);
  text.append(blanks, '\n');
  text += '\0';
  while ((8 + text.size()) % 16 != 0) text += '\0';
  const std::size_t size = 8 + text.size();
  std::string head = header_bytes(grid, precision, units, kNiftiLead + size);
  head += std::string("\1\0\0\0", 4);
  std::string lead(8, '\0');
  put(lead, 0, static_cast<std::int32_t>(size));
  put(lead, 4, kNiftiComment);
  return head + lead + text;
}

}  // namespace skde::io
