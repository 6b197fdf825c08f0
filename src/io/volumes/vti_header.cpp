#include "io/volumes/vti_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/text_fields.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestXml = std::size_t{16} << 20;

[[noreturn]] void refuse(const std::string& name, std::string_view what,
                         std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, what), {{}, std::move(suggestion)});
}

/// The XML up to the appended data, which no XML parser can read, with its open elements closed;
/// the source stands at the first byte of the data afterwards.
std::string xml_before_data(BufferedSource& source) {
  std::string xml;
  while (const auto line = source.line()) {
    xml += *line;
    xml += '\n';
    const std::size_t tag = xml.find("<AppendedData", xml.size() - line->size() - 1);
    if (tag != std::string::npos) {
      const std::size_t end = xml.find('>', tag);
      if (end == std::string::npos) break;
      // What follows on the line of the tag belongs to the data.
      const std::size_t taken = xml.size() - 1 - (end + 1);
      if (taken > 0) refuse(source.name(), "its appended data begin on the line of their tag");
      return xml.substr(0, end + 1) + "</AppendedData></VTKFile>";
    }
    if (xml.size() > kLongestXml) break;
  }
  refuse(source.name(), "is no VTK image with appended data",
         "save it with the data mode 'appended'");
}

/// Passes over blanks up to and with the underscore that begins the data.
void skip_to_data(BufferedSource& source) {
  while (true) {
    const std::string_view next = source.peek(1);
    if (next.empty() || !std::strchr(" \t\r\n_", next[0]))
      refuse(source.name(), "has no '_' before its appended data; the file is broken");
    const bool found = next[0] == '_';
    source.skip(1);
    if (found) return;
  }
}

template <std::size_t Count>
std::array<double, Count> numbers(const std::string& name, const pugi::xml_node& node,
                                  const char* attribute) {
  std::array<double, Count> values{};
  const std::vector<std::string_view> words = split_words(node.attribute(attribute).value());
  bool good = words.size() == Count;
  for (std::size_t i = 0; good && i < Count; ++i) good = parse_number(words[i], values[i]);
  if (!good)
    refuse(name, fmt::format("attribute {} of <{}> is not {} numbers; the file is broken",
                             attribute, node.name(), Count));
  return values;
}

Grid grid_of(const std::string& name, const pugi::xml_node& image) {
  const auto extent = numbers<6>(name, image, "WholeExtent");
  const auto origin = numbers<3>(name, image, "Origin");
  const auto spacing = numbers<3>(name, image, "Spacing");
  if (!image.attribute("Direction").empty()) {
    static constexpr std::array<double, 9> kUnit{1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (numbers<9>(name, image, "Direction") != kUnit)
      refuse(name, "is a rotated image; skde reads axis-aligned ones");
  }
  std::array<std::int64_t, 3> dims{};
  Vec3 first;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cells = extent[2 * axis + 1] - extent[2 * axis] + 1;
    dims[axis] = cells >= 1 && cells < 0x1p31 ? static_cast<std::int64_t>(cells) : 0;
    first[static_cast<int>(axis)] = origin[axis] + extent[2 * axis] * spacing[axis];
  }
  return grid_of_file(name, first, {spacing[0], spacing[1], spacing[2]}, dims);
}

ScalarType scalar_type(const std::string& name, std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, ScalarType>, 10> kTypes{
      {{"Float32", ScalarType::f32},
       {"Float64", ScalarType::f64},
       {"Int8", ScalarType::i8},
       {"UInt8", ScalarType::u8},
       {"Int16", ScalarType::i16},
       {"UInt16", ScalarType::u16},
       {"Int32", ScalarType::i32},
       {"UInt32", ScalarType::u32},
       {"Int64", ScalarType::i64},
       {"UInt64", ScalarType::u64}}};
  for (const auto& [type_name, type] : kTypes)
    if (type_name == text) return type;
  refuse(name, fmt::format("has values of unknown type {}", excerpt(text)));
}

/// The array `density`, or else the first one of one component.
pugi::xml_node scalar_array(const std::string& name, const pugi::xml_node& piece) {
  pugi::xml_node first;
  for (const pugi::xml_node& array : piece.child("PointData").children("DataArray")) {
    if (array.attribute("NumberOfComponents").as_int(1) != 1) continue;
    if (std::string_view(array.attribute("Name").value()) == "density") return array;
    if (!first) first = array;
  }
  if (!first) refuse(name, "holds no point data with one component");
  return first;
}

/// A text that VTK keeps as codes of characters that end with a 0.
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

VolumeFields fields_in(const pugi::xml_node& image) {
  VolumeFields fields;
  for (const pugi::xml_node& node : image.child("FieldData").children()) {
    std::string text = node.child_value();
    std::ranges::replace(text, '\n', ' ');
    if (std::string_view(node.attribute("type").value()) == "String") {
      std::optional<std::string> plain = decoded(text);
      if (!plain) continue;
      text = std::move(*plain);
    }
    if (auto field = field_from_text(node.attribute("Name").value(), text))
      fields.push_back(std::move(*field));
  }
  return fields;
}

void check_file_kind(const std::string& name, const pugi::xml_node& file) {
  if (std::string_view(file.attribute("type").value()) != "ImageData")
    refuse(name, fmt::format("is a VTK file of type {}, no image",
                             excerpt(file.attribute("type").value())));
  const std::string_view compressor = file.attribute("compressor").value();
  if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
    refuse(name, fmt::format("is compressed by {}", excerpt(compressor)),
           "save it raw or with zlib");
  if (std::string_view(file.child("AppendedData").attribute("encoding").value()) != "raw")
    refuse(name, "has encoded appended data", "save it with raw encoding");
}

}  // namespace

VtiHeader read_vti_header(BufferedSource& source) {
  const std::string& name = source.name();
  const std::string xml = xml_before_data(source);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed)
    refuse(name, fmt::format("its XML cannot be read: {} at byte {}", parsed.description(),
                             parsed.offset));
  const pugi::xml_node file = document.child("VTKFile"), image = file.child("ImageData");
  check_file_kind(name, file);
  const pugi::xml_node piece = image.child("Piece");
  if (!piece || piece.next_sibling("Piece")) refuse(name, "is an image of several pieces or none");
  if (std::string_view(piece.attribute("Extent").value()) != image.attribute("WholeExtent").value())
    refuse(name, "its piece is not the whole image");
  const pugi::xml_node array = scalar_array(name, piece);
  if (std::string_view(array.attribute("format").value()) != "appended")
    refuse(name, "has inline data", "save it with the data mode 'appended'");

  VtiHeader header;
  header.fields = fields_in(image);
  header.grid = exact_grid(grid_of(name, image), header.fields);
  header.type = scalar_type(name, array.attribute("type").value());
  header.big_endian = std::string_view(file.attribute("byte_order").value()) == "BigEndian";
  header.compressed = !file.attribute("compressor").empty();
  header.size_bytes = std::string_view(file.attribute("header_type").value()) == "UInt64" ? 8 : 4;
  skip_to_data(source);
  header.position = source.position() + array.attribute("offset").as_ullong(0);
  return header;
}

}  // namespace skde::io
