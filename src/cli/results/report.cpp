#include "cli/results/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cli/text/terminal_text.hpp"

namespace skde::cli {

void Report::line(std::string label, std::string_view text) {
  lines_.push_back({Line::Kind::labelled, std::move(label), printable(text)});
}

void Report::blank() { lines_.push_back({Line::Kind::blank, "", ""}); }

void Report::heading(std::string text) {
  lines_.push_back({Line::Kind::heading, "", std::move(text)});
}

void Report::table(std::string label, const std::vector<std::vector<std::string>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  std::vector<bool> right(columns, true);
  if (columns > 0) right[0] = false;
  for (const std::string& row : aligned_rows(rows, right)) {
    line(std::move(label), row);
    label.clear();
  }
}

std::string Report::text() const {
  std::size_t width = 0;
  for (const Line& line : lines_) width = std::max(width, line.label.size());
  std::string page;
  for (const Line& line : lines_) {
    if (line.kind == Line::Kind::labelled)
      page += fmt::format("  {:<{}}  {}", line.label, width, line.text);
    else
      page += line.text;
    page += '\n';
  }
  return page;
}

std::vector<std::string> aligned_rows(const std::vector<std::vector<std::string>>& rows,
                                      const std::vector<bool>& right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += "  ";
      text += c < right.size() && right[c] ? fmt::format("{:>{}}", row[c], widths[c])
                                           : fmt::format("{:<{}}", row[c], widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace skde::cli
