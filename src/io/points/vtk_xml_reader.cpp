#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/points/kept_records.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/points/vtk_arrays.hpp"
#include "io/scalar_type.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

[[noreturn]] void fail(const std::string& file, std::string_view what,
                       std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", file, what), {{}, std::move(suggestion)});
}

/// A file in memory: its XML, and what is appended to it behind an underscore.
class VtkDocument {
 public:
  VtkDocument(const std::string& name, std::string bytes) : bytes_(std::move(bytes)) {
    encoding_.file = name;
    std::string_view xml(bytes_);
    std::string closed;
    if (const std::size_t tag = xml.find("<AppendedData"); tag != xml.npos) {
      const std::size_t end = xml.find('>', tag), data = xml.find('_', end);
      if (data == xml.npos) fail(name, "has no '_' before its appended data; the file is broken");
      appended_ = xml.substr(data + 1);
      closed = std::string(xml.substr(0, end + 1)) + "</AppendedData></VTKFile>";
      xml = closed;
    }
    if (const auto result = document_.load_buffer(xml.data(), xml.size()); !result)
      fail(name,
           fmt::format("byte {}: its XML is broken: {}", result.offset, result.description()));
    read_encoding(document_.child("VTKFile"));
  }

  /// x, y, z of all points of all pieces, as doubles.
  std::string points() const {
    const pugi::xml_node root = document_.child("VTKFile");
    const std::string_view type = root.attribute("type").value();
    if (type != "PolyData" && type != "UnstructuredGrid")
      fail(encoding_.file, fmt::format("a VTK file of type {} is no cloud", excerpt(type)),
           "save its points as PolyData (.vtp)");
    std::string xyz;
    for (const pugi::xml_node piece : root.child(root.attribute("type").value()).children("Piece"))
      append_points(piece, xyz);
    return xyz;
  }

 private:
  void read_encoding(const pugi::xml_node root) {
    encoding_.big_endian = std::string_view(root.attribute("byte_order").value()) == "BigEndian";
    encoding_.long_sizes = std::string_view(root.attribute("header_type").value()) == "UInt64";
    const std::string_view packer = root.attribute("compressor").value();
    encoding_.packed = packer == "vtkZLibDataCompressor";
    if (!packer.empty() && !encoding_.packed)
      fail(encoding_.file, fmt::format("is packed by {}", excerpt(packer)),
           "save it raw or with zlib");
    appended_base64_ =
        std::string_view(root.child("AppendedData").attribute("encoding").value()) == "base64";
  }

  void append_points(const pugi::xml_node piece, std::string& xyz) const {
    const pugi::xml_node array = piece.child("Points").child("DataArray");
    const std::uint64_t count = piece.attribute("NumberOfPoints").as_ullong();
    if (count == 0) return;
    const std::optional<ScalarType> type = vtk_type(array.attribute("type").value());
    if (!type) fail(encoding_.file, "has points of a type that is not read, or none");
    if (std::string_view(array.attribute("format").value()) == "ascii") {
      append_numbers(array.text().get(), count, xyz);
      return;
    }
    const std::string values = vtk_array(encoding_, stored_bytes(array));
    const std::size_t bytes = size_of(*type);
    if (values.size() % (3 * bytes) != 0 || values.size() / (3 * bytes) != count)
      fail(encoding_.file,
           fmt::format("promises {} points, but holds {} bytes of them", count, values.size()));
    const std::size_t numbers = values.size() / bytes, have = xyz.size();
    xyz.resize(have + numbers * sizeof(double));
    std::vector<double> converted(numbers);
    column_converter(*type, encoding_.big_endian)(values.data(), bytes, numbers, converted.data(),
                                                  1);
    std::memcpy(xyz.data() + have, converted.data(), numbers * sizeof(double));
  }

  /// The bytes of an array that is not written as numbers, and maybe more behind them.
  std::string stored_bytes(const pugi::xml_node array) const {
    const std::string_view format = array.attribute("format").value();
    if (format == "binary") return from_base64(array.text().get());
    if (format != "appended")
      fail(encoding_.file, fmt::format("has points in the format {}", excerpt(format)),
           "save it as ascii, binary or appended");
    const std::uint64_t offset = array.attribute("offset").as_ullong();
    if (offset >= appended_.size()) fail(encoding_.file, "its points begin behind its end");
    const std::string_view stored = appended_.substr(static_cast<std::size_t>(offset));
    return appended_base64_ ? from_base64(stored) : std::string(stored);
  }

  void append_numbers(std::string_view text, std::uint64_t count, std::string& xyz) const {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
      if (begin == text.npos) break;
      const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
      double value = 0;
      if (!parse_number(text.substr(begin, end - begin), value))
        fail(encoding_.file, fmt::format("{} among its points is not a number",
                                         excerpt(text.substr(begin, end - begin))));
      xyz.append(reinterpret_cast<const char*>(&value), sizeof(value));
      ++found;
      at = end;
    }
    if (found % 3 != 0 || found / 3 != count)
      fail(encoding_.file, fmt::format("promises {} points, but holds {} numbers", count, found));
  }

  std::string bytes_;
  std::string_view appended_;
  bool appended_base64_ = false;
  VtkEncoding encoding_;
  pugi::xml_document document_;
};

}  // namespace

std::unique_ptr<PointReader> open_vtk_xml(BufferedSource source, const ColumnSelection& wanted) {
  const std::string name = source.name();
  const Error too_large(ErrorKind::input,
                        fmt::format("{}: is larger than 1 GiB, which VTK files may not be", name),
                        {{}, "save it as PLY or LAS"});
  std::string xyz = VtkDocument(name, read_whole(source, too_large)).points();
  if (xyz.empty()) fail(name, "holds no points");
  return read_kept_points(name, std::move(xyz), wanted);
}

}  // namespace skde::io
