#include <fmt/core.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"
#include "io/values/vtk_data.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// Form of an array's bytes or numbers.
enum class VtiForm { raw, base64, text };

/// What the XML of a VTK image file states of one scalar array and its position.
struct VtiHeader {
  FileAxes axes;
  Grid grid;
  VolumeFields fields;
  std::vector<std::string> arrays;  ///< names of all arrays with one component, if there are
                                    ///< several
  std::string array;                ///< the array that the rest describes
  ScalarType type = ScalarType::f32;
  VtiForm form = VtiForm::raw;
  VtkEncoding encoding;
  std::uint64_t position =
      0;  ///< position of the sizes before the data, or of the first number as text
};

/// Reads the XML around or before the data. Throws Error(input) if it is broken, or if skde does
/// not read such a file: other data than images, several pieces, rotated images. Throws
/// Error(unsupported) if this build cannot unpack it. `array` is the name of an array; empty:
/// `density`, or else the first one.
VtiHeader read_vti_header(BufferedSource& source, const std::string& array = {});

/// The XML of a VTK file without the values, so that its size does not depend on that of the
/// volume. The text of each array outside field data is replaced by its position in the file, and
/// the appended data are cut off.
struct VtiDocument {
  pugi::xml_document xml;
  std::uint64_t appended = 0;  ///< position after the tag <AppendedData>; 0: none
};

constexpr std::size_t kLongestXml = std::size_t{16} << 20;

/// Copies XML without the values in it.
class Skeleton {
 public:
  explicit Skeleton(BufferedSource& source) : source_(source) {}

  /// Returns the position after <AppendedData ...>, or 0 at the end of the file.
  std::uint64_t copy() {
    while (true) {
      const bool values = in_array_ && inside_ == 0 && !in_fields_;
      if (values && skip_blanks()) xml_ += std::to_string(source_.position());
      if (!pass_to('<', !values)) return 0;
      const std::size_t begin = xml_.size();
      if (!pass_to('>', true)) return 0;
      const auto tag = [&] { return std::string_view(xml_).substr(begin); };
      while (tag().starts_with("<!--") && !tag().ends_with("--")) {
        source_.skip(1);
        xml_ += '>';
        if (!pass_to('>', true)) return 0;
      }
      source_.skip(1);
      xml_ += '>';
      enter(tag());
      if (tag().starts_with("<AppendedData")) return source_.position();
    }
  }

  std::string& xml() { return xml_; }

 private:
  void enter(std::string_view tag) {
    const bool open = !tag.ends_with("/>");
    if (tag.starts_with("<DataArray") || tag.starts_with("<Array")) {
      in_array_ = open;
      inside_ = 0;
    } else if (tag.starts_with("</DataArray") || tag.starts_with("</Array")) {
      in_array_ = false;
    } else if (in_array_ && open) {  // VTK puts notes on an array beside its values
      inside_ += tag.starts_with("</") ? -1 : 1;
    }
    if (tag.starts_with("<FieldData")) in_fields_ = open;
    if (tag.starts_with("</FieldData")) in_fields_ = false;
  }

  /// Returns true if something other than a tag follows the blanks.
  bool skip_blanks() {
    while (true) {
      const std::string_view ahead = source_.peek(1);
      const std::size_t blanks = std::min(ahead.find_first_not_of(" \t\r\n"), ahead.size());
      const bool found = blanks < ahead.size(), value = found && ahead[blanks] != '<';
      source_.skip(blanks);
      if (found || ahead.empty()) return value;
    }
  }

  /// Consumes everything before the character, which is then next; returns false if it does not
  /// occur.
  bool pass_to(char mark, bool copied) {
    // The '<' is consumed together with its tag, so the search for '>' starts after it.
    bool first = mark == '>';
    while (true) {
      const std::string_view ahead = source_.peek(1);
      if (ahead.empty()) return false;
      const std::size_t found = ahead.find(mark, first ? 1 : 0);
      const std::size_t taken = std::min(found, ahead.size());
      if (copied) xml_ += ahead.substr(0, taken);
      if (xml_.size() > kLongestXml)
        refuse_volume(source_.name(), "has more than 16 MiB of XML around its values");
      source_.skip(taken);
      if (found != ahead.npos) return true;
      first = false;
    }
  }

  BufferedSource& source_;
  std::string xml_;
  bool in_array_ = false, in_fields_ = false;
  int inside_ = 0;  // nesting depth within the array
};

/// Throws Error(input) if the XML is broken.
VtiDocument read_vti_document(BufferedSource& source) {
  if (!source.peek(1).starts_with('<'))
    refuse_volume(source.name(), "its first byte is not that of XML; it is not a VTK image");
  Skeleton skeleton(source);
  VtiDocument document;
  document.appended = skeleton.copy();
  if (document.appended > 0) skeleton.xml() += "</AppendedData></VTKFile>";
  const std::string& xml = skeleton.xml();
  const pugi::xml_parse_result parsed = document.xml.load_buffer(xml.data(), xml.size());
  if (!parsed)
    refuse_volume(source.name(), fmt::format("its XML cannot be read: {} at byte {}",
                                             parsed.description(), parsed.offset));
  return document;
}

template <std::size_t Count>
std::array<double, Count> numbers(const std::string& name, const pugi::xml_node& node,
                                  const char* attribute) {
  std::array<double, Count> values{};
  const std::vector<std::string_view> words = split_words(node.attribute(attribute).value());
  bool good = words.size() == Count;
  for (std::size_t i = 0; good && i < Count; ++i) good = parse_number(words[i], values[i]);
  if (!good)
    refuse_volume(name, fmt::format("attribute {} of <{}> must be {} numbers; the file is broken",
                                    attribute, node.name(), Count));
  return values;
}

/// The axes of the image. For point data, skde's cells are the points of the image; for cell data,
/// its cells.
FileAxes axes_of(const std::string& name, const pugi::xml_node& image, bool cell_data) {
  const auto extent = numbers<6>(name, image, "WholeExtent");
  const auto origin = numbers<3>(name, image, "Origin");
  const auto spacing = numbers<3>(name, image, "Spacing");
  std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (!image.attribute("Direction").empty()) direction = numbers<9>(name, image, "Direction");
  std::array<std::int64_t, 3> sizes{};
  std::array<Vec3, 3> vectors;
  Vec3 first{origin[0], origin[1], origin[2]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(spacing[axis] > 0)) refuse_volume(name, "its spacing is not above 0");
    vectors[axis] = spacing[axis] * Vec3{direction[axis], direction[3 + axis], direction[6 + axis]};
    // An image of one layer of points has one layer of cells, in the same plane.
    const double points = extent[2 * axis + 1] - extent[2 * axis] + 1;
    const bool between = cell_data && points > 1;
    const double cells = between ? points - 1 : points;
    sizes[axis] = cells >= 1 && cells < 0x1p31 ? static_cast<std::int64_t>(cells) : 0;
    first = first + (extent[2 * axis] + (between ? 0.5 : 0)) * vectors[axis];
  }
  return axes_along(name, sizes, first, vectors);
}

ScalarType scalar_type(const std::string& name, std::string_view text) {
  if (const std::optional<ScalarType> type = vtk_type(text)) return *type;
  refuse_volume(name, fmt::format("has values of unknown type {}", excerpt(text)));
}

/// The arrays of points or of cells that have one component.
std::vector<pugi::xml_node> scalar_arrays(const std::string& name, const pugi::xml_node& piece) {
  std::vector<pugi::xml_node> arrays;
  for (const char* const kind : {"PointData", "CellData"})
    for (const pugi::xml_node& array : piece.child(kind).children("DataArray"))
      if (array.attribute("NumberOfComponents").as_int(1) == 1) arrays.push_back(array);
  if (arrays.empty()) refuse_volume(name, "holds no point or cell data with one component");
  return arrays;
}

std::string array_name_of(const pugi::xml_node& array) { return array.attribute("Name").value(); }

/// Index of the array of this name; without a name, of `density`, or else of the first array.
std::size_t chosen_array(const std::string& name, const std::vector<pugi::xml_node>& arrays,
                         const std::string& wanted) {
  const auto found = std::ranges::find(arrays, wanted.empty() ? "density" : wanted, array_name_of);
  if (found != arrays.end()) return static_cast<std::size_t>(found - arrays.begin());
  if (wanted.empty()) return 0;
  std::vector<std::string> names;
  names.reserve(arrays.size());
  for (const pugi::xml_node& array : arrays) names.push_back(array_name_of(array));
  refuse_field(name, wanted, names);
}

/// Decodes a text that VTK stores as zero-terminated character codes.
std::optional<std::string> decoded(std::string_view codes) {
  std::string text;
  for (const std::string_view word : split_words(codes)) {
    double code = 0;
    if (!parse_number(word, code) || !(code >= 0) || code > 255) return std::nullopt;
    if (code == 0) break;
    text += static_cast<char>(static_cast<unsigned char>(code));
  }
  return text;
}

/// Returns the fields common to all arrays; fields of each array go to `table`.
VolumeFields fields_in(const pugi::xml_node& image, VolumeFields& table) {
  VolumeFields fields;
  for (const pugi::xml_node& node : image.child("FieldData").children()) {
    std::string text = node.child_value();
    std::ranges::replace(text, '\n', ' ');
    if (std::string_view(node.attribute("type").value()) == "String") {
      std::optional<std::string> plain = decoded(text);
      if (!plain) continue;
      text = std::move(*plain);
    }
    const char* const field_name = node.attribute("Name").value();
    if (auto field = field_from_text(field_name, text)) fields.push_back(std::move(*field));
    if (auto row = table_row_from_text(field_name, text)) table.push_back(std::move(*row));
  }
  return fields;
}

/// Returns true if the attribute is the second word, false if it is the first or missing. Other
/// words are refused: guessing could misread the values.
bool says_second(const std::string& name, const pugi::xml_node& file, const char* attribute,
                 std::string_view first, std::string_view second) {
  const std::string_view word = file.attribute(attribute).value();
  if (word.empty() || word == first) return false;
  if (word == second) return true;
  refuse_volume(name, fmt::format("its {} is {}", attribute, excerpt(word)),
                fmt::format("set <VTKFile> {0}=\"{1}\" or {0}=\"{2}\"", attribute, first, second));
}

/// The only piece, which must be the whole image.
pugi::xml_node whole_piece(const std::string& name, const pugi::xml_node& image) {
  const pugi::xml_node piece = image.child("Piece");
  if (!piece || piece.next_sibling("Piece"))
    refuse_volume(name, "must be an image of one piece",
                  "write it with one process ('vtkXMLImageDataWriter')");
  if (numbers<6>(name, piece, "Extent") != numbers<6>(name, image, "WholeExtent"))
    refuse_volume(name, "its piece does not cover the whole image");
  return piece;
}

/// Skips blanks up to and including the underscore that begins the appended data.
std::uint64_t first_appended(BufferedSource& source) {
  while (true) {
    const std::string_view next = source.peek(1);
    if (next.empty() || !std::strchr(" \t\r\n_", next[0]))
      refuse_volume(source.name(), "has no '_' before its appended data; the file is broken");
    const bool found = next[0] == '_';
    source.skip(1);
    if (found) return source.position();
  }
}

/// Finds where the array's bytes or numbers are, and how they are written.
void place_array(BufferedSource& source, const pugi::xml_node& array, const VtiDocument& document,
                 VtiHeader& header) {
  const std::string& name = source.name();
  const std::string_view format = array.attribute("format").value();
  if (format != "appended") {
    if (format != "ascii" && format != "binary")
      refuse_volume(name, fmt::format("has data in the unknown format {}", excerpt(format)));
    header.form = format == "ascii" ? VtiForm::text : VtiForm::base64;
    header.position = array.text().as_ullong(0);
    if (header.position == 0) refuse_volume(name, "has an array without values");
    return;
  }
  if (document.appended == 0) refuse_volume(name, "lacks its appended data; it is truncated");
  const std::string_view encoding =
      document.xml.child("VTKFile").child("AppendedData").attribute("encoding").value();
  if (encoding != "raw" && encoding != "base64")
    refuse_volume(name,
                  fmt::format("has appended data in the unknown encoding {}", excerpt(encoding)));
  header.form = encoding == "raw" ? VtiForm::raw : VtiForm::base64;
  const std::uint64_t offset = array.attribute("offset").as_ullong(0);
  if (__builtin_add_overflow(first_appended(source), offset, &header.position))
    refuse_volume(name, "its data begin after its end; the file is broken or truncated");
}

VtiHeader read_vti_header(BufferedSource& source, const std::string& array) {
  const std::string& name = source.name();
  const VtiDocument document = read_vti_document(source);
  const pugi::xml_node file = document.xml.child("VTKFile"), image = file.child("ImageData");
  if (std::string_view(file.attribute("type").value()) != "ImageData")
    refuse_volume(name, fmt::format("is a VTK file of type {}, not an image",
                                    excerpt(file.attribute("type").value())));
  VtiHeader header;
  header.encoding.packing = vtk_packing(name, file.attribute("compressor").value());
  const std::vector<pugi::xml_node> arrays = scalar_arrays(name, whole_piece(name, image));
  const std::size_t chosen = chosen_array(name, arrays, array);
  const pugi::xml_node& node = arrays[chosen];
  header.array = array_name_of(node);
  if (arrays.size() > 1)
    std::ranges::transform(arrays, std::back_inserter(header.arrays), array_name_of);
  VolumeFields table;
  header.fields = fields_in(image, table);
  if (!table.empty()) {
    header.fields = fields_of_one(header.fields, table, chosen, arrays.size());
    if (header.arrays != with_standard_errors({"density"}))
      header.fields.push_back({"category", header.array});
  }
  header.axes = axes_of(name, image, std::string_view(node.parent().name()) == "CellData");
  header.grid = exact_grid(grid_along(name, header.axes), header.fields);
  header.type = scalar_type(name, node.attribute("type").value());
  header.encoding.big_endian = says_second(name, file, "byte_order", "LittleEndian", "BigEndian");
  header.encoding.size_bytes = says_second(name, file, "header_type", "UInt32", "UInt64") ? 8 : 4;
  place_array(source, node, document, header);
  return header;
}

/// Reads from the sizes on. `left` is the number of bytes that the file can still hold.
Volume read_bytes(BufferedSource& data, const VtiHeader& header, std::uint64_t left) {
  auto packed = vtk_array(data, header.encoding, static_cast<std::uint64_t>(header.grid.cells()),
                          size_of(header.type), left);
  const bool big_endian = header.encoding.big_endian;
  if (!packed) return read_values(data, header.grid, header.type, big_endian);
  BufferedSource unpacked(std::move(packed));
  return read_values(unpacked, header.grid, header.type, big_endian);
}

Volume read_encoded(BufferedSource& source, const VtiHeader& header) {
  const std::uint64_t left = source.size().value_or(0) - source.position();
  if (header.form == VtiForm::raw) return read_bytes(source, header, left);
  if (header.form == VtiForm::text) return read_text_values(source, header.grid, header.type);
  BufferedSource decoded(base64_source(source));
  return read_bytes(decoded, header, left / 4 * 3);
}

/// In a file of several volumes, a volume that is not a density is named after its array.
DensityMetadata metadata_of(const VtiHeader& header) {
  DensityMetadata metadata = metadata_from(header.fields);
  if (header.arrays.size() > 1) name_values(metadata, header.array);
  return metadata;
}

}  // namespace

VolumeHead read_vti_head(const std::string& path, const std::string& field,
                         const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const VtiHeader header = read_vti_header(source, field);
  return {header.grid, true, metadata_of(header), header.arrays, header.array};
}

VolumeFile read_vti(const std::string& path, const std::string& field, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const VtiHeader header = read_vti_header(source, field);
  if (header.position > source.size().value_or(0))
    refuse_volume(path, "its data begin after its end; the file is broken or truncated");
  source.seek(header.position);
  Volume volume = read_encoded(source, header);
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), true, {}, header.arrays, header.array};
}

}  // namespace skde::io
