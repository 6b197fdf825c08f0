#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/points/readers/ply_header.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/readers/text_rows.hpp"
#include "io/points/splats/splat_columns.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// Parses the rows of one element, one after the other.
class PlyRowParser {
 public:
  PlyRowParser(const PlyElement& element, PlyEncoding encoding, std::uint64_t lines)
      : element_(element), encoding_(encoding), lines_(lines) {}

  std::uint64_t lines() const { return lines_; }

  /// Reads the scalar properties of the next row, each to its index in `values`. Entries of lists
  /// are left unchanged.
  void next(BufferedSource& source, std::vector<double>& values) {
    ++row_;
    if (encoding_ == PlyEncoding::ascii)
      next_text(source, values);
    else
      next_binary(source, values);
  }

 private:
  Error broken(const BufferedSource& source, std::string_view what) const {
    const std::string place = encoding_ == PlyEncoding::ascii
                                  ? fmt::format("line {}", lines_)
                                  : fmt::format("byte {}", source.position());
    return Error(
        ErrorKind::input,
        fmt::format("{}: {}: {} in row {} of the {} of element {}; the file is truncated or broken",
                    source.name(), place, what, row_, element_.count, excerpt(element_.name)));
  }

  std::uint64_t list_length(const BufferedSource& source, double length) const {
    if (!(length >= 0 && length < 0x1p63) ||
        length != static_cast<double>(static_cast<std::uint64_t>(length)))
      throw broken(source, "a list length is not a valid count");
    return static_cast<std::uint64_t>(length);
  }

  double take_scalar(BufferedSource& source, ScalarType type) const {
    const std::size_t bytes = size_of(type);
    const std::string_view ahead = source.peek(bytes);
    if (ahead.size() < bytes) throw broken(source, "the file ends");
    double value = 0;
    column_converter(type, encoding_ == PlyEncoding::big_endian)(ahead.data(), 0, 1, &value, 1);
    source.skip(bytes);
    return value;
  }

  void next_binary(BufferedSource& source, std::vector<double>& values) {
    for (std::size_t i = 0; i < element_.properties.size(); ++i) {
      const PlyProperty& property = element_.properties[i];
      if (!property.list) {
        values[i] = take_scalar(source, property.type);
        continue;
      }
      const std::uint64_t length = list_length(source, take_scalar(source, property.length_type));
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(length, std::uint64_t{size_of(property.type)}, &bytes) ||
          source.skip(bytes) < bytes)
        throw broken(source, "the file ends");
    }
  }

  void next_text(BufferedSource& source, std::vector<double>& values) {
    std::optional<std::string_view> line;
    do {
      line = source.line();
      ++lines_;
      if (!line) throw broken(source, "the file ends");
    } while (trimmed(*line).empty());
    words_ = split_words(*line);
    std::size_t at = 0;
    for (std::size_t i = 0; i < element_.properties.size(); ++i) {
      const double value = word_value(source, at++);
      if (!element_.properties[i].list) {
        values[i] = value;
        continue;
      }
      const std::uint64_t length = list_length(source, value);
      if (length > words_.size() - at) throw broken(source, "too few values");
      at += static_cast<std::size_t>(length);
    }
    if (at != words_.size()) throw broken(source, "too many values");
  }

  double word_value(const BufferedSource& source, std::size_t at) const {
    if (at >= words_.size()) throw broken(source, "too few values");
    double value = 0;
    if (!parse_number(words_[at], value))
      throw broken(source, fmt::format("{} is not a number", excerpt(words_[at])));
    return value;
  }

  const PlyElement& element_;
  PlyEncoding encoding_;
  std::uint64_t lines_;
  std::uint64_t row_ = 0;
  std::vector<std::string_view> words_;
};

class PlyListReader final : public PointReader {
 public:
  PlyListReader(BufferedSource source, PlyElement element, PlyEncoding encoding,
                const SelectedColumns& selected, std::uint64_t lines)
      : source_(std::move(source)),
        element_(std::move(element)),
        selected_(selected),
        parser_(element_, encoding, lines),
        values_(element_.properties.size()) {}
  PlyListReader(const PlyListReader&) = delete;
  PlyListReader& operator=(const PlyListReader&) = delete;

  bool read(Samples& chunk, std::size_t most) override {
    chunk.xyz.clear();
    chunk.weights.clear();
    chunk.bandwidth_factors.clear();
    first_of_chunk_ = done_;
    for (; chunk.size() < most && done_ < element_.count; ++done_) {
      parser_.next(source_, values_);
      for (std::size_t property : selected_.xyz) chunk.xyz.push_back(values_[property]);
      if (selected_.weight) chunk.weights.push_back(values_[*selected_.weight]);
      for (std::size_t property : selected_.widths)
        chunk.bandwidth_factors.push_back(values_[property]);
    }
    return chunk.size() > 0;
  }

  std::string place_of(std::size_t row) const override {
    return fmt::format("row {}", first_of_chunk_ + row + 1);
  }
  std::optional<std::uint64_t> expected_rows() const override { return element_.count; }
  std::uint64_t bytes_read() const override { return source_.position(); }
  std::uint64_t bytes_total() const override { return source_.size().value_or(0); }
  std::size_t width_columns() const override { return selected_.widths.size(); }

 private:
  BufferedSource source_;
  PlyElement element_;
  SelectedColumns selected_;
  PlyRowParser parser_;
  std::vector<double> values_;
  std::uint64_t done_ = 0;
  std::uint64_t first_of_chunk_ = 0;
};

/// Skips all rows of `element`; `lines` counts the lines of an ASCII file. Throws Error(input) if
/// the file ends before that.
void skip_ply_element(BufferedSource& source, const PlyElement& element, PlyEncoding encoding,
                      std::uint64_t& lines) {
  if (element.properties.empty()) return;
  if (encoding != PlyEncoding::ascii && !element.has_lists()) {
    source.skip(element.count * element.least_row_bytes(encoding));
    return;
  }
  PlyRowParser parser(element, encoding, lines);
  std::vector<double> values(element.properties.size());
  for (std::uint64_t row = 0; row < element.count; ++row) parser.next(source, values);
  lines = parser.lines();
}

/// Reads rows of an element with list properties, whose length varies from row to row. `selected`
/// holds indices into element.properties.
std::unique_ptr<PointReader> read_ply_list_rows(BufferedSource source, PlyElement element,
                                                PlyEncoding encoding,
                                                const SelectedColumns& selected,
                                                std::uint64_t lines) {
  return std::make_unique<PlyListReader>(std::move(source), std::move(element), encoding, selected,
                                         lines);
}

/// Indices of the scalar properties, which are the columns of an element.
std::vector<std::size_t> scalar_properties(const PlyElement& element) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < element.properties.size(); ++i)
    if (!element.properties[i].list) indices.push_back(i);
  return indices;
}

/// Names the lists of vertices, and the other elements.
std::vector<std::string> left_out_of(const PlyHeader& header) {
  std::vector<std::string> names;
  for (const PlyElement& element : header.elements) {
    if (element.name != "vertex" && element.count > 0)
      names.push_back(fmt::format("element {}", element.name));
    for (const PlyProperty& property : element.properties)
      if (element.name == "vertex" && property.list)
        names.push_back(fmt::format("list {}", property.name));
  }
  return names;
}

/// The result holds indices into the properties of `vertex`.
SelectedColumns select_properties(const PlyHeader& header, const PlyElement& vertex,
                                  const std::string& file, const ColumnSelection& wanted) {
  const std::vector<std::size_t> scalars = scalar_properties(vertex);
  FileColumns columns{file, {}, std::vector<bool>(scalars.size(), true)};
  columns.left_out = left_out_of(header);
  for (std::size_t i : scalars) columns.names.push_back(vertex.properties[i].name);
  SelectedColumns selected = select_columns(wanted, columns);
  describe_splats(wanted, columns.names, selected);
  return selected.among(scalars);
}

RecordLayout record_layout(const PlyElement& vertex, PlyEncoding encoding,
                           const SelectedColumns& selected) {
  std::vector<RecordField> fields;
  RecordLayout layout;
  for (const PlyProperty& property : vertex.properties) {
    fields.push_back({layout.stride, property.type});
    layout.stride += size_of(property.type);
  }
  layout.big_endian = encoding == PlyEncoding::big_endian;
  set_fields(
      selected, [&](std::size_t i) { return fields[i]; }, layout);
  return layout;
}

TextLayout text_layout(const PlyElement& vertex, const SelectedColumns& selected, bool is_last) {
  TextLayout layout;
  layout.columns = vertex.properties.size();
  layout.columns_from = "the header declares";
  layout.selected = selected;
  for (const PlyProperty& property : vertex.properties) layout.names.push_back(property.name);
  layout.comments = false;
  layout.rows = vertex.count;
  layout.surplus = is_last ? Surplus::error : Surplus::ignore;
  return layout;
}

/// Refuses Gaussian splats whose positions are packed into 32 bits, relative to chunks of splats.
void refuse_packed(const PlyElement& vertex, const std::string& file) {
  if (std::ranges::none_of(vertex.properties, [](const PlyProperty& property) {
        return property.name == "packed_position";
      }))
    return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: is a compressed Gaussian splat, but does not declare its chunks at its head",
                  file),
      {{}, "decompress it with 'splat-transform IN.ply OUT.ply'"});
}

using ElementIterator = std::vector<PlyElement>::iterator;

/// Skips the elements before the vertices, then opens the vertices.
std::unique_ptr<PointReader> open_vertices(BufferedSource source, PlyHeader header,
                                           ElementIterator vertex,
                                           const SelectedColumns& selected) {
  for (auto element = header.elements.begin(); element != vertex; ++element) {
    check_promise(source, element->count, element->least_row_bytes(header.encoding),
                  "rows of element " + excerpt(element->name));
    skip_ply_element(source, *element, header.encoding, header.lines);
  }
  check_promise(source, vertex->count, vertex->least_row_bytes(header.encoding), "vertices");
  if (vertex->has_lists())
    return read_ply_list_rows(std::move(source), std::move(*vertex), header.encoding, selected,
                              header.lines);
  const bool is_last = std::next(vertex) == header.elements.end();
  if (header.encoding == PlyEncoding::ascii)
    return read_text_rows(std::move(source), text_layout(*vertex, selected, is_last), header.lines);
  // Some files have a line end after the last element.
  return read_records(std::move(source), record_layout(*vertex, header.encoding, selected),
                      vertex->count, is_last ? Surplus::less_than_a_row : Surplus::ignore);
}

}  // namespace

std::unique_ptr<PointReader> open_ply(BufferedSource source, const ColumnSelection& columns) {
  PlyHeader header = read_ply_header(source);
  const auto vertex = std::ranges::find(header.elements, "vertex", &PlyElement::name);
  if (vertex == header.elements.end())
    throw Error(ErrorKind::input,
                fmt::format("{}: the header has no element 'vertex'; this PLY file holds no points",
                            source.name()));
  refuse_packed(*vertex, source.name());
  const SelectedColumns selected = select_properties(header, *vertex, source.name(), columns);
  auto reader = open_vertices(std::move(source), std::move(header), vertex, selected);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
