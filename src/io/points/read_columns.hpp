#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// A column that is read, as its file names it.
struct ReadColumn {
  std::string name;        ///< as it stands there: "x [nm]"; empty where there is none
  std::size_t number = 0;  ///< from 1
  std::string quantity;    ///< the name without its unit: "x"
  std::string units;       ///< "nm"; empty where the file does not say

  friend bool operator==(const ReadColumn&, const ReadColumn&) = default;
};

/// A column whose name may hold a unit, as "x (m)", "x [nm]" and "X_m" do.
ReadColumn named_column(std::string_view name, std::size_t number);

/// What was read of a file as coordinates, weights and widths.
struct ReadColumns {
  std::array<ReadColumn, 3> xyz{};
  std::optional<ReadColumn> weight{};
  std::vector<std::string> others{};  ///< names of those that are not read
  std::vector<ReadColumn> widths{};
  std::optional<ReadColumn> category{};
  std::string remark{};  ///< on what the file is besides a cloud; mostly empty
  std::string frame{};   ///< what the coordinates were made of; empty: they are as in the file
  std::string where{};   ///< the condition by which rows are left out; empty: there is none
  bool splats = false;   ///< the widths are those of Gaussian splats

  /// The one unit of all coordinates; empty where it is unknown or they differ.
  std::string units() const;
  /// True where the file names units of coordinates that are not the same.
  bool units_differ() const;
  /// Names for axes: the quantities, with units of their own where those differ.
  std::array<std::string, 3> axis_names() const;

  friend bool operator==(const ReadColumns&, const ReadColumns&) = default;
};

/// Rows read and dropped so far.
struct CloudCounts {
  std::uint64_t rows = 0;         ///< rows read
  std::uint64_t non_finite = 0;   ///< dropped: NaN or infinity in what is read of them
  std::uint64_t zero_weight = 0;  ///< dropped: weight 0
  std::uint64_t left_out = 0;     ///< by the condition on columns, before all else
  std::uint64_t samples() const { return rows - dropped() - left_out; }
  std::uint64_t dropped() const { return non_finite + zero_weight; }

  CloudCounts& operator+=(const CloudCounts& other);
  friend bool operator==(const CloudCounts&, const CloudCounts&) = default;
};

/// How the columns of another file of the same cloud are not those of this one, as half a
/// sentence; empty where they agree: by name, or by number where one of them has no names.
std::string disagreement(const ReadColumns& first, const ReadColumns& other);

}  // namespace skde::io
