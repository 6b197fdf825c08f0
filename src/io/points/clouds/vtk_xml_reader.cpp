#include <fmt/core.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"
#include "io/values/vtk_data.hpp"

namespace skde::io {
namespace {

[[noreturn]] void refuse_vtk_xml(const std::string& file, std::string_view what,
                                 std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", file, what), {{}, std::move(suggestion)});
}

/// A file in memory: its XML, and the appended data after an underscore.
class VtkDocument {
 public:
  VtkDocument(const std::string& name, std::string bytes) : name_(name), bytes_(std::move(bytes)) {
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
    if (std::string_view(root.attribute("header_type").value()) == "UInt64")
      encoding_.size_bytes = 8;
    const std::string_view packer = root.attribute("compressor").value();
    encoding_.packing = vtk_packing(name_, packer);
    if (encoding_.packing > Packing::zlib)
      refuse_vtk_xml(name_, fmt::format("is compressed with {}", excerpt(packer)),
                     "save it uncompressed or with zlib");
    appended_base64_ =
        std::string_view(root.child("AppendedData").attribute("encoding").value()) == "base64";
  }

  /// The pieces that have points. Throws Error(input) if there are none.
  std::vector<pugi::xml_node> pieces() const {
    const pugi::xml_node root = document_.child("VTKFile");
    const std::string_view type = root.attribute("type").value();
    if (type != "PolyData" && type != "UnstructuredGrid")
      refuse_vtk_xml(name_,
                     fmt::format("a VTK file of type {} is not a point cloud", excerpt(type)),
                     "save its points as PolyData (.vtp)");
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node piece : root.child(root.attribute("type").value()).children("Piece"))
      if (count_of(piece) > 0) found.push_back(piece);
    if (found.empty()) refuse_vtk_xml(name_, "holds no points");
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
    if (!type) refuse_vtk_xml(name_, "has points of an unsupported type, or none");
    if (std::string_view(array.attribute("format").value()) == "ascii") {
      append_numbers(array.text().get(), count, values);
      return;
    }
    const std::size_t bytes = size_of(*type), have = values.size();
    const std::string stored = stored_bytes(array, count, bytes);
    values.resize(have + static_cast<std::size_t>(count));
    column_converter(*type, encoding_.big_endian)(
        stored.data(), bytes, static_cast<std::size_t>(count), values.data() + have, 1);
  }

  /// The values of an array that is not ASCII.
  std::string stored_bytes(const pugi::xml_node array, std::uint64_t count,
                           std::size_t bytes_each) const {
    const std::string_view format = array.attribute("format").value();
    if (format != "binary" && format != "appended")
      refuse_vtk_xml(name_, fmt::format("has points in the unsupported format {}", excerpt(format)),
                     "save it as ascii, binary or appended");
    const bool inside = format == "binary";
    const std::uint64_t offset = array.attribute("offset").as_ullong();
    if (!inside && offset >= appended_.size())
      refuse_vtk_xml(name_, "its points begin after its end");
    const std::string_view text =
        inside ? array.text().get() : appended_.substr(static_cast<std::size_t>(offset));
    BufferedSource data(memory_source(name_, text));
    if (inside || appended_base64_) {
      BufferedSource decoded(base64_source(data));
      return array_bytes(decoded, count, bytes_each, text.size());
    }
    return array_bytes(data, count, bytes_each, text.size());
  }

  /// The same from the sizes before them on, in text of so many bytes.
  std::string array_bytes(BufferedSource& data, std::uint64_t count, std::size_t bytes_each,
                          std::size_t left) const {
    auto packed = vtk_array(data, encoding_, count, bytes_each, left);
    const std::uint64_t wanted = count * bytes_each;
    std::optional<BufferedSource> unpacked;
    if (packed) unpacked.emplace(std::move(packed));
    std::string bytes = read_next(unpacked ? *unpacked : data, wanted);
    if (bytes.size() < wanted) refuse_vtk_xml(name_, "an array is truncated; the file is broken");
    return bytes;
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
        refuse_vtk_xml(name_, fmt::format("{} among its points is not a number",
                                          excerpt(text.substr(begin, end - begin))));
      values.push_back(value);
      ++found;
      at = end;
    }
    if (found != count)
      refuse_vtk_xml(name_, fmt::format("declares {} numbers, but holds {}", count, found));
  }

  std::string name_, bytes_;
  std::string_view appended_;
  bool appended_base64_ = false;
  VtkEncoding encoding_;
  pugi::xml_document document_;
};

/// The selected columns, row by row.
std::string rows_of(const VtkDocument& document, const std::vector<std::string>& columns,
                    const SelectedColumns& selected) {
  const std::vector<std::size_t> read = selected.read();
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
