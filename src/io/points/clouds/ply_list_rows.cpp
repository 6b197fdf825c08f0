#include "io/points/clouds/ply_list_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/text_fields.hpp"

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

}  // namespace

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

std::unique_ptr<PointReader> read_ply_list_rows(BufferedSource source, PlyElement element,
                                                PlyEncoding encoding,
                                                const SelectedColumns& selected,
                                                std::uint64_t lines) {
  return std::make_unique<PlyListReader>(std::move(source), std::move(element), encoding, selected,
                                         lines);
}

}  // namespace skde::io
