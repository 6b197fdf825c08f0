#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skde::cli {

/// What a command tells people on a terminal: labelled lines under each other and small tables,
/// both aligned.
class Report {
 public:
  /// "  label      text"; an empty label continues the line above.
  void line(std::string label, std::string_view text);
  void blank();
  /// A line of its own, from the margin on.
  void heading(std::string text);
  /// A label followed by rows of cells, each column as wide as its widest cell and, but for the
  /// first, aligned to the right.
  void table(std::string label, const std::vector<std::vector<std::string>>& rows);

  std::string text() const;

 private:
  struct Line {
    enum class Kind { labelled, heading, blank } kind;
    std::string label, text;
  };
  std::vector<Line> lines_;
};

/// Rows of cells with each column as wide as its widest cell; `right` says which columns are
/// aligned to the right (missing entries: to the left).
std::vector<std::string> aligned_rows(const std::vector<std::vector<std::string>>& rows,
                                      const std::vector<bool>& right);

}  // namespace skde::cli
