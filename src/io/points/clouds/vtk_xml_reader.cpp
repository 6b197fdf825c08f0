#include <fmt/core.h>
#include <zlib.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/kept_records.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {
namespace {

/// How an XML file of VTK writes its arrays.
struct VtkEncoding {
  std::string file;  ///< for messages
  bool big_endian = false;
  bool long_sizes = false;  ///< sizes have 8 bytes, not 4
  bool packed = false;      ///< by zlib, in blocks
};

constexpr std::uint64_t kMostDeflateGain = 1100;  // deflate yields at most 1032 bytes per byte

[[noreturn]] void refuse_array(const VtkEncoding& encoding, std::string_view why) {
  throw Error(ErrorKind::input,
              fmt::format("{}: an array {}; the file is broken", encoding.file, why),
              {{}, "write it again"});
}

/// Takes the sizes from the front of an array's bytes.
class SizeReader {
 public:
  SizeReader(const VtkEncoding& encoding, std::string_view& bytes)
      : encoding_(encoding), bytes_(bytes) {}

  std::uint64_t next() const {
    const std::size_t count = encoding_.long_sizes ? 8 : 4;
    if (bytes_.size() < count) refuse_array(encoding_, "ends inside its sizes");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value =
          value << 8 | static_cast<unsigned char>(bytes_[encoding_.big_endian ? i : count - 1 - i]);
    bytes_.remove_prefix(count);
    return value;
  }

 private:
  const VtkEncoding& encoding_;
  std::string_view& bytes_;
};

void unpack_block(const VtkEncoding& encoding, std::string_view packed, std::uint64_t whole,
                  std::string& to) {
  if (whole > kMostDeflateGain * (packed.size() + 1))
    refuse_array(encoding, "declares more values than its compressed data hold");
  const std::size_t have = to.size();
  to.resize(have + static_cast<std::size_t>(whole));
  auto got = static_cast<uLongf>(whole);
  const int code =
      uncompress(reinterpret_cast<Bytef*>(to.data() + have), &got,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (code != Z_OK || got != whole) refuse_array(encoding, "cannot be decompressed");
}

std::string packed_array(const VtkEncoding& encoding, std::string_view bytes) {
  const SizeReader sizes(encoding, bytes);
  const std::uint64_t blocks = sizes.next(), block_bytes = sizes.next(), last_bytes = sizes.next();
  if (blocks > bytes.size()) refuse_array(encoding, "declares more blocks than it has bytes");
  std::vector<std::uint64_t> packed(static_cast<std::size_t>(blocks));
  for (std::uint64_t& size : packed) size = sizes.next();
  std::string result;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    if (packed[i] > bytes.size()) refuse_array(encoding, "is truncated");
    const bool last = i + 1 == packed.size();
    unpack_block(encoding, bytes.substr(0, static_cast<std::size_t>(packed[i])),
                 last && last_bytes > 0 ? last_bytes : block_bytes, result);
    bytes.remove_prefix(static_cast<std::size_t>(packed[i]));
  }
  return result;
}

/// The six bits of a base64 character; -1 for other characters.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/// Returns the bytes of an array from those in the file: a size and the values or, if they are
/// packed, the sizes of the blocks and the blocks. More bytes may follow. Throws Error(input) if
/// they are broken or cut short.
std::string vtk_array(const VtkEncoding& encoding, std::string_view bytes) {
  if (encoding.packed) return packed_array(encoding, bytes);
  const std::uint64_t count = SizeReader(encoding, bytes).next();
  if (count > bytes.size()) refuse_array(encoding, "is truncated");
  return std::string(bytes.substr(0, static_cast<std::size_t>(count)));
}

/// Decodes base64 up to the first character that is not part of it. Blanks are skipped, and pieces
/// that were encoded separately may follow each other.
std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int characters = 0;  // read so far of the four that encode three bytes
  const auto flush = [&] {
    for (int i = 0; i + 1 < characters; ++i)
      bytes += static_cast<char>(bits << (6 * (4 - characters)) >> (16 - 8 * i) & 0xff);
    bits = 0;
    characters = 0;
  };
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '=') {
      flush();
      continue;
    }
    const int value = base64_value(c);
    if (value < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++characters == 4) flush();
  }
  flush();
  return bytes;
}

[[noreturn]] void refuse_vtk_xml(const std::string& file, std::string_view what,
                                 std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", file, what), {{}, std::move(suggestion)});
}

/// A file in memory: its XML, and the appended data after an underscore.
class VtkDocument {
 public:
  VtkDocument(const std::string& name, std::string bytes) : bytes_(std::move(bytes)) {
    encoding_.file = name;
    std::string_view xml(bytes_);
    std::string closed;
    if (const std::size_t tag = xml.find("<AppendedData"); tag != xml.npos) {
      const std::size_t end = xml.find('>', tag), data = xml.find('_', end);
      if (data == xml.npos)
        refuse_vtk_xml(name, "has no '_' before its appended data; the file is broken");
      appended_ = xml.substr(data + 1);
      closed = std::string(xml.substr(0, end + 1)) + "</AppendedData></VTKFile>";
      xml = closed;
    }
    if (const auto result = document_.load_buffer(xml.data(), xml.size()); !result)
      refuse_vtk_xml(
          name, fmt::format("byte {}: its XML is broken: {}", result.offset, result.description()));
    read_encoding(document_.child("VTKFile"));
  }

  /// The columns, with one number per point: x, y, z, and the arrays that all pieces have.
  std::vector<std::string> columns() const {
    std::vector<std::string> names{"x", "y", "z"};
    const std::vector<pugi::xml_node> all = pieces();
    for (const pugi::xml_node array : all.front().child("PointData").children("DataArray")) {
      const std::string name = array.attribute("Name").value();
      if (!name.empty() && std::ranges::all_of(all, [&](const pugi::xml_node piece) {
            return is_column(point_array(piece, name));
          }))
        names.push_back(name);
    }
    return names;
  }

  /// Names the arrays that are no columns, and what connects the points.
  std::vector<std::string> left_out(const std::vector<std::string>& columns) const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const pugi::xml_node piece : pieces()) {
      for (const pugi::xml_node array : piece.child("PointData").children())
        if (const std::string name = array.attribute("Name").value();
            std::ranges::find(columns, name) == columns.end())
          add(name.empty() ? "an array without a name" : name);
      for (const pugi::xml_node array : piece.child("CellData").children())
        add(fmt::format("{} of cells", array.attribute("Name").value()));
      for (const char* const cells : {"Lines", "Strips", "Polys"})
        if (piece.attribute(fmt::format("NumberOf{}", cells).c_str()).as_ullong() > 0)
          add(lower_case(cells));
      const std::uint64_t cells = piece.attribute("NumberOfCells").as_ullong();
      if (cells > 0 && cells != count_of(piece)) add("cells");  // more than a vertex a point
    }
    return names;
  }

  /// x, y, z of all points of all pieces.
  std::vector<double> points() const {
    std::vector<double> values;
    for (const pugi::xml_node piece : pieces())
      append_values(piece.child("Points").child("DataArray"), 3 * count_of(piece), values);
    return values;
  }

  /// An array with one number per point, from all pieces.
  std::vector<double> values(const std::string& name) const {
    std::vector<double> values;
    for (const pugi::xml_node piece : pieces())
      append_values(point_array(piece, name), count_of(piece), values);
    return values;
  }

 private:
  void read_encoding(const pugi::xml_node root) {
    encoding_.big_endian = std::string_view(root.attribute("byte_order").value()) == "BigEndian";
    encoding_.long_sizes = std::string_view(root.attribute("header_type").value()) == "UInt64";
    const std::string_view packer = root.attribute("compressor").value();
    encoding_.packed = packer == "vtkZLibDataCompressor";
    if (!packer.empty() && !encoding_.packed)
      refuse_vtk_xml(encoding_.file, fmt::format("is compressed with {}", excerpt(packer)),
                     "save it uncompressed or with zlib");
    appended_base64_ =
        std::string_view(root.child("AppendedData").attribute("encoding").value()) == "base64";
  }

  /// The pieces that have points. Throws Error(input) if there are none.
  std::vector<pugi::xml_node> pieces() const {
    const pugi::xml_node root = document_.child("VTKFile");
    const std::string_view type = root.attribute("type").value();
    if (type != "PolyData" && type != "UnstructuredGrid")
      refuse_vtk_xml(encoding_.file,
                     fmt::format("a VTK file of type {} is not a point cloud", excerpt(type)),
                     "save its points as PolyData (.vtp)");
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node piece : root.child(root.attribute("type").value()).children("Piece"))
      if (count_of(piece) > 0) found.push_back(piece);
    if (found.empty()) refuse_vtk_xml(encoding_.file, "holds no points");
    return found;
  }

  static std::uint64_t count_of(const pugi::xml_node piece) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // more than any such file can hold
    return std::min<std::uint64_t>(piece.attribute("NumberOfPoints").as_ullong(), kMost);
  }

  static pugi::xml_node point_array(const pugi::xml_node piece, const std::string& name) {
    return piece.child("PointData").find_child_by_attribute("DataArray", "Name", name.c_str());
  }

  static bool is_column(const pugi::xml_node array) {
    const std::string_view components = array.attribute("NumberOfComponents").value();
    return vtk_type(array.attribute("type").value()) && (components.empty() || components == "1");
  }

  void append_values(const pugi::xml_node array, std::uint64_t count,
                     std::vector<double>& values) const {
    const std::optional<ScalarType> type = vtk_type(array.attribute("type").value());
    if (!type) refuse_vtk_xml(encoding_.file, "has points of an unsupported type, or none");
    if (std::string_view(array.attribute("format").value()) == "ascii") {
      append_numbers(array.text().get(), count, values);
      return;
    }
    const std::string stored = vtk_array(encoding_, stored_bytes(array));
    const std::size_t bytes = size_of(*type), have = values.size();
    if (stored.size() % bytes != 0 || stored.size() / bytes != count)
      refuse_vtk_xml(encoding_.file,
                     fmt::format("declares {} numbers, but holds {} bytes", count, stored.size()));
    values.resize(have + static_cast<std::size_t>(count));
    column_converter(*type, encoding_.big_endian)(
        stored.data(), bytes, static_cast<std::size_t>(count), values.data() + have, 1);
  }

  /// The bytes of an array that is not ASCII, possibly followed by more bytes.
  std::string stored_bytes(const pugi::xml_node array) const {
    const std::string_view format = array.attribute("format").value();
    if (format == "binary") return from_base64(array.text().get());
    if (format != "appended")
      refuse_vtk_xml(encoding_.file,
                     fmt::format("has points in the unsupported format {}", excerpt(format)),
                     "save it as ascii, binary or appended");
    const std::uint64_t offset = array.attribute("offset").as_ullong();
    if (offset >= appended_.size())
      refuse_vtk_xml(encoding_.file, "its points begin after its end");
    const std::string_view stored = appended_.substr(static_cast<std::size_t>(offset));
    return appended_base64_ ? from_base64(stored) : std::string(stored);
  }

  void append_numbers(std::string_view text, std::uint64_t count,
                      std::vector<double>& values) const {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
      if (begin == text.npos) break;
      const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
      double value = 0;
      if (!parse_number(text.substr(begin, end - begin), value))
        refuse_vtk_xml(encoding_.file, fmt::format("{} among its points is not a number",
                                                   excerpt(text.substr(begin, end - begin))));
      values.push_back(value);
      ++found;
      at = end;
    }
    if (found != count)
      refuse_vtk_xml(encoding_.file,
                     fmt::format("declares {} numbers, but holds {}", count, found));
  }

  std::string bytes_;
  std::string_view appended_;
  bool appended_base64_ = false;
  VtkEncoding encoding_;
  pugi::xml_document document_;
};

/// The selected columns, row by row.
std::string rows_of(const VtkDocument& document, const std::vector<std::string>& columns,
                    const SelectedColumns& selected) {
  std::vector<std::size_t> read(selected.xyz.begin(), selected.xyz.end());
  if (selected.weight) read.push_back(*selected.weight);
  read.insert(read.end(), selected.widths.begin(), selected.widths.end());
  const std::vector<double> points = document.points();
  const std::size_t rows = points.size() / 3;
  std::string bytes(rows * read.size() * sizeof(double), '\0');
  for (std::size_t c = 0; c < read.size(); ++c) {
    const bool coordinate = read[c] < 3;
    const std::vector<double> values =
        coordinate ? std::vector<double>() : document.values(columns[read[c]]);
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(bytes.data() + (row * read.size() + c) * sizeof(double),
                  coordinate ? &points[3 * row + read[c]] : &values[row], sizeof(double));
  }
  return bytes;
}

}  // namespace

std::unique_ptr<PointReader> open_vtk_xml(BufferedSource source, const ColumnSelection& wanted) {
  const std::string name = source.name();
  const Error too_large(ErrorKind::input,
                        fmt::format("{}: is larger than 1 GiB, the limit for VTK files", name),
                        {{}, "save it as PLY or LAS"});
  const VtkDocument document(name, read_whole(source, too_large));
  const std::vector<std::string> columns = document.columns();
  FileColumns described{name, columns, std::vector<bool>(columns.size(), true)};
  described.left_out = document.left_out(columns);
  const SelectedColumns selected = select_columns(wanted, described);
  return read_kept_rows(name, rows_of(document, columns, selected), selected);
}

}  // namespace skde::io
