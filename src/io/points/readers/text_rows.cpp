#include "io/points/readers/text_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/text/date_time.hpp"

namespace skde::io {
namespace {

/// Advice for a field that is not a number.
ErrorAdvice mended_number(std::string_view text, const ErrorAdvice& otherwise) {
  if (has_thousands(text) && text.find('.') == text.npos)
    return {"columns", "write thousands without commas, and decimals with a point"};
  if (has_thousands(text)) return {"columns", "write thousands without commas"};
  if (text.find(',') != text.npos) return {"columns", "write decimals with a point"};
  return otherwise;
}

class TextRowsReader final : public PointReader {
 public:
  TextRowsReader(BufferedSource source, TextLayout layout, std::uint64_t lines_before,
                 std::vector<std::string> first_lines)
      : source_(std::move(source)),
        layout_(std::move(layout)),
        line_number_(lines_before),
        first_lines_(std::move(first_lines)),
        first_lines_number_(lines_before),
        first_byte_(source_.position()) {
    carried_.delimiter = layout_.delimiter;
    carried_.names = layout_.names;
  }

  bool read(Samples& chunk, std::size_t most) override {
    chunk.xyz.clear();
    chunk.weights.clear();
    chunk.bandwidth_factors.clear();
    line_jumps_.clear();
    carried_.clear();
    if (failure_) std::rethrow_exception(failure_);
    std::size_t whole = 0;  // number of rows
    try {
      while (chunk.size() < most && (!layout_.rows || done_ < *layout_.rows)) {
        const auto line = next_row();
        if (!line) break;
        note_line(chunk.size());
        if (layout_.selected.keeps_lines) carried_.lines.emplace_back(*line);
        append_row(*line, chunk, whole);
        ++done_;
        ++whole;
      }
      if (layout_.rows && done_ == *layout_.rows && layout_.surplus == Surplus::error)
        refuse_more_rows();
    } catch (const Error&) {
      if (whole == 0) throw;
      failure_ = std::current_exception();
      chunk.xyz.resize(3 * whole);
      carried_.lines.resize(std::min(whole, carried_.lines.size()));
      std::erase_if(carried_.rests, [&](const auto& rest) { return rest.row >= whole; });
      chunk.weights.resize(layout_.selected.weight ? whole : 0);
      chunk.bandwidth_factors.resize(layout_.selected.widths.size() * whole);
    }
    return chunk.size() > 0;
  }

  /// Cuts by bytes: a row belongs to the part in which its line begins.
  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    if (layout_.rows || !source_.seekable()) return false;
    const std::uint64_t bytes = *source_.size() - std::min(*source_.size(), first_byte_);
    const std::uint64_t begin = first_byte_ + first_of_part(bytes, part, parts);
    end_ = first_byte_ + first_of_part(bytes, part + 1, parts);
    taken_ = part == 0 ? 0 : first_lines_.size();
    line_number_ = first_lines_number_;
    failure_ = nullptr;
    uncounted_ = 0;
    if (begin > first_byte_) {
      source_.seek(begin - 1);
      source_.skip_line();
      line_number_ = 0;
      uncounted_ = source_.position();
    } else {
      source_.seek(begin);
    }
    return true;
  }

  std::string place_of(std::size_t row) const override {
    const auto after = std::ranges::upper_bound(line_jumps_, row, {}, &LineJump::row);
    if (after == line_jumps_.begin()) return fmt::format("row {}", row + 1);
    const LineJump& jump = *(after - 1);
    return fmt::format("line {}", lines_before_part() + jump.line + (row - jump.row));
  }
  std::optional<std::uint64_t> expected_rows() const override { return layout_.rows; }
  std::uint64_t bytes_read() const override { return source_.position(); }
  std::uint64_t bytes_total() const override { return source_.size().value_or(0); }
  std::size_t width_columns() const override { return layout_.selected.widths.size(); }
  const CategoryNames* category_texts() const override { return &texts_; }
  const CarriedRows* carried() const override { return &carried_; }

 private:
  /// Row `row` of the chunk is on line `line`, and later rows are on consecutive lines.
  struct LineJump {
    std::size_t row;
    std::uint64_t line;
  };

  /// Counts the lines before those that line_number_ counts; done only to name a line in a message.
  /// Restores the position of the source.
  std::uint64_t lines_before_part() const {
    if (uncounted_ == 0) return 0;
    const std::uint64_t position = source_.position();
    source_.seek(0);
    std::uint64_t lines = 0;
    while (source_.position() < uncounted_ && source_.skip_line()) ++lines;
    source_.seek(position);
    return lines;
  }
  std::uint64_t this_line() const { return lines_before_part() + line_number_; }

  void note_line(std::size_t row) {
    if (line_jumps_.empty() ||
        line_jumps_.back().line + (row - line_jumps_.back().row) != line_number_)
      line_jumps_.push_back({row, line_number_});
  }

  std::optional<std::string_view> next_line() {
    if (taken_ < first_lines_.size()) {
      ++line_number_;
      return first_lines_[taken_++];
    }
    if (end_ && source_.position() >= *end_) return std::nullopt;
    const auto line = source_.line();
    if (line) ++line_number_;
    return line;
  }

  /// Returns the next line that is neither blank nor a comment.
  std::optional<std::string_view> next_row() {
    while (const auto line = next_line()) {
      if (trimmed(*line).empty()) continue;
      if (!layout_.comments || !is_comment(*line)) return line;
      ++carried_.comments;
    }
    if (layout_.rows)
      throw Error(ErrorKind::input,
                  fmt::format("{}: line {}: the file ends after {} of {} rows; it is truncated or "
                              "its header is wrong",
                              source_.name(), line_number_, done_, *layout_.rows));
    return std::nullopt;
  }

  void refuse_more_rows() {
    while (const auto line = next_line())
      if (!trimmed(*line).empty())
        throw Error(ErrorKind::input,
                    fmt::format("{}: line {}: more rows than the {} that {}", source_.name(),
                                line_number_, *layout_.rows, layout_.rows_from),
                    {{}, "correct the header, or save one cloud in each file"});
  }

  void append_row(std::string_view line, Samples& chunk, std::size_t row) {
    split_fields(line, layout_.delimiter, layout_.columns + 1, fields_);
    if (fields_.size() != layout_.columns) throw wrong_length(line);
    std::size_t place = 0;
    const auto take = [&](std::size_t column) {
      carried_.note(row, place++, rest_of_whole(fields_[column].text));
      return number_in(column);
    };
    for (std::size_t column : layout_.selected.xyz) chunk.xyz.push_back(take(column));
    if (layout_.selected.weight) chunk.weights.push_back(take(*layout_.selected.weight));
    const auto& [widths, category] = std::tie(layout_.selected.widths, layout_.selected.category);
    const std::vector<RowCondition::Column>& compared = layout_.selected.compared;
    const std::size_t numbers = widths.size() - compared.size() - (category ? 1 : 0);
    for (std::size_t i = 0; i < numbers; ++i) chunk.bandwidth_factors.push_back(take(widths[i]));
    for (std::size_t i = 0; i < compared.size(); ++i, ++place) {
      chunk.bandwidth_factors.push_back(compared_value(compared[i], widths[numbers + i]));
      if (!compared[i].holds_texts)
        carried_.note(row, place, rest_of_whole(fields_[widths[numbers + i]].text));
    }
    if (category) chunk.bandwidth_factors.push_back(texts_.of(fields_[*category].text));
  }

  /// The value that a condition compares: a number, the seconds to a date, or the place of a text.
  double compared_value(const RowCondition::Column& column, std::size_t index) const {
    const TextField& field = fields_[index];
    double value = 0;
    if (column.holds_texts)
      return field.quoted ? place_among(column.texts, unquoted(field))
                          : place_among(column.texts, field.text);
    if (parse_number(field.text, value)) return value;
    std::string_view left = field.text;
    if (const auto date = take_date_time(left); date && left.empty()) return date->value();
    throw not_a_number(index, {"where", "compare it with a text, in quotes"});
  }

  double number_in(std::size_t column) const {
    double value = 0;
    if (!parse_number(fields_[column].text, value))
      throw not_a_number(column, {"columns", "correct the row, or choose other `columns`"});
    return value;
  }

  Error wrong_length(std::string_view line) {
    split_fields(line, layout_.delimiter, line.size() + 1, fields_);
    return Error(ErrorKind::input,
                 fmt::format("{}: line {}: it has {} fields, but {} {}", source_.name(),
                             this_line(), fields_.size(), layout_.columns_from, layout_.columns),
                 {{},
                  has_open_quote(line) ? "write the quoted text on one line"
                  : layout_.delimiter == Delimiter::comma
                      ? "correct the row: commas separate fields, so write thousands without commas"
                      : "correct the row"});
  }

  Error not_a_number(std::size_t column, const ErrorAdvice& otherwise) const {
    std::string name;
    if (column < layout_.names.size() && !layout_.names[column].empty())
      name = " (" + layout_.names[column] + ")";
    // Must precede this_line(), which may count lines and so invalidate the text in the buffer.
    const std::string shown = excerpt(fields_[column].text);
    const ErrorAdvice advice = mended_number(fields_[column].text, otherwise);
    return Error(ErrorKind::input,
                 fmt::format("{}: line {}: {} in column {}{} is not a number", source_.name(),
                             this_line(), shown, column + 1, name),
                 advice);
  }

  mutable BufferedSource source_;  // mutable: lines are counted when one is named
  TextLayout layout_;
  std::uint64_t line_number_;
  std::vector<std::string> first_lines_;
  std::size_t taken_ = 0;                          // number of first_lines_ taken
  std::uint64_t first_lines_number_, first_byte_;  // lines before first_lines_; position after them
  std::optional<std::uint64_t> end_;  // end of the part: lines that begin at or after it are not
                                      // read
  std::uint64_t uncounted_ = 0;       // bytes before the lines that line_number_ counts
  std::exception_ptr failure_;        // error of the row after the last chunk
  std::uint64_t done_ = 0;
  std::vector<TextField> fields_;
  CategoryNames texts_;
  CarriedRows carried_;
  std::vector<LineJump> line_jumps_;
};

}  // namespace

bool is_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return (text.starts_with('#') && !begins_with_missing(text)) || text.starts_with("//") ||
         text.starts_with('%');
}

std::unique_ptr<PointReader> read_text_rows(BufferedSource source, TextLayout layout,
                                            std::uint64_t lines_before,
                                            std::vector<std::string> first_lines) {
  return std::make_unique<TextRowsReader>(std::move(source), std::move(layout), lines_before,
                                          std::move(first_lines));
}

}  // namespace skde::io
