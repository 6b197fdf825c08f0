#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

struct TextField;

/// A column that is read, as its file names it.
struct ReadColumn {
  std::string name;        ///< as in the file: "x [nm]"; empty if there is none
  std::size_t number = 0;  ///< 1-based
  std::string quantity;    ///< the name without its unit: "x"
  std::string units;       ///< "nm"; empty if the file does not say

  friend bool operator==(const ReadColumn&, const ReadColumn&) = default;
};

/// Returns the units in a line such as (nm),(nm),(nm),counts; nothing for other lines. One has to
/// be a length or an angle, or in brackets, as other words may be the texts of a row.
std::vector<std::string> units_in(const std::vector<TextField>& fields);

/// A column whose name may hold a unit, as "x (m)", "x [nm]", "X_m" and "xnm" do.
ReadColumn named_column(std::string_view name, std::size_t number);

/// Describes what was read from a file as coordinates, weights and bandwidths.
struct ReadColumns {
  std::array<ReadColumn, 3> xyz{};
  std::optional<ReadColumn> weight{};
  std::vector<std::string> others{};  ///< names of the columns that are not read
  /// What rows hold besides columns of numbers: texts, lists, vectors; and elements beside the
  /// rows. By name, or "column 4".
  std::vector<std::string> left_out{};
  std::vector<ReadColumn> widths{};
  double width_scale = 1;  ///< what the widths are multiplied by to become h of H = h^2 I
  std::optional<ReadColumn> category{};
  std::string remark{};  ///< on what else the file is; mostly empty
  std::string frame{};   ///< frame of converted coordinates; empty: unchanged
  std::string where{};   ///< condition that rows must fulfil; empty: none
  /// What the bandwidths belong to, if these are Gaussians: "splats" or "mixtures".
  std::string gaussians{};

  /// The common unit of all coordinates; empty if it is unknown or they differ.
  std::string units() const;
  /// Returns true if the file states different units for the coordinates.
  bool units_differ() const;
  /// Names for axes: the quantities, each with its unit if the units differ.
  std::array<std::string, 3> axis_names() const;

  friend bool operator==(const ReadColumns&, const ReadColumns&) = default;
};

/// Appends to a remark.
void add_remark(const std::string& more, std::string& remark);

/// Rows read and dropped so far.
struct CloudCounts {
  std::uint64_t rows = 0;         ///< rows read
  std::uint64_t non_finite = 0;   ///< dropped: a value is NaN or infinite
  std::uint64_t zero_weight = 0;  ///< dropped: weight 0
  std::uint64_t left_out = 0;     ///< left out by the condition, before all else
  std::uint64_t comments = 0;     ///< lines below the header that were taken for comments
  std::uint64_t zero_width = 0;   ///< dropped: a width of 0
  std::uint64_t samples() const { return rows - dropped() - left_out; }
  std::uint64_t dropped() const { return non_finite + zero_weight + zero_width; }

  CloudCounts& operator+=(const CloudCounts& other);
  friend bool operator==(const CloudCounts&, const CloudCounts&) = default;
};

/// Describes, in half a sentence, how the columns of another file of the same cloud differ from
/// these; empty if they agree. Columns are compared by name, or by number if one file has no names.
std::string disagreement(const ReadColumns& first, const ReadColumns& other);

}  // namespace skde::io
