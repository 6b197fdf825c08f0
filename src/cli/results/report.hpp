#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::cli {

/// A command's report for people on a terminal: labelled lines and small tables, both aligned.
class Report {
 public:
  /// Adds "  label      text"; an empty label continues the line above.
  void line(std::string label, std::string_view text);
  void blank();
  /// Adds a line of its own, starting at the margin.
  void heading(std::string text);
  /// Adds a label followed by rows of cells. Each column is as wide as its widest cell; all but the
  /// first are aligned to the right.
  void table(std::string label, const std::vector<std::vector<std::string>>& rows);

  std::string text() const;

 private:
  struct Line {
    enum class Kind { labelled, heading, blank } kind;
    std::string label, text;
  };
  std::vector<Line> lines_;
};

/// Returns rows of cells; each column is as wide as its widest cell. `right` says which columns are
/// aligned to the right; columns without an entry are aligned to the left.
std::vector<std::string> aligned_rows(const std::vector<std::vector<std::string>>& rows,
                                      const std::vector<bool>& right);

}  // namespace skde::cli
