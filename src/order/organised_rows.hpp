#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "order/arrangement.hpp"

namespace skde {

/// How alike neighbours on a grid are: cells that share an edge and both hold an item.
struct ArrangementQuality {
  double distance = 0;  ///< the mean Euclidean distance of their values
  /// VAD: the variance of |dx| over all columns and pairs along x, and that of |dy|, averaged.
  double variance = 0;
};

/// `values` are those that were arranged, (N, columns), and `item_at` says which is in each cell of
/// rows of `width` cells. 0 if there are no neighbours.
ArrangementQuality arrangement_quality(std::span<const float> values, std::size_t columns,
                                       std::span<const std::uint32_t> item_at, std::size_t width);

/// Rows of a table, and the columns by which they are compared.
struct RowSelection {
  std::span<const double> values;  ///< (rows, columns), row by row
  std::size_t columns = 0;
  std::vector<std::size_t> positions{};  ///< up to three, which share a scale
  std::vector<std::size_t> others{};     ///< each with a scale of its own
};

/// Returns the compared columns, (rows, positions and others), about their means: positions in
/// units of the root of the mean of their variances, each other column in units of its deviation. A
/// column that does not vary is 0.
std::vector<float> comparable_values(const RowSelection& rows);

/// Returns the rows that fill a rectangle of about equal sides, in their order: those of least mass
/// are left out, and among equal ones the last.
std::vector<std::uint32_t> filling_rows(std::span<const double> masses);

/// Rows on a grid, and how alike neighbours are: in the given order and in Morton order of the
/// positions, laid out row by row on the same grid, and as arranged.
struct OrganisedRows {
  Arrangement arrangement;
  ArrangementQuality before, by_curve, after;
  bool is_curve = false;  ///< no arrangement with nearer neighbours was found than Morton order
};

/// Arranges `values`, of which the first three columns are positions for Morton order. Throws what
/// arranged() throws.
OrganisedRows organised(const ArrangementRequest& request, Progress& progress);

}  // namespace skde
