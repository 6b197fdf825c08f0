#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// A sample on the working grid.
struct NodeSample {
  double at[3];   ///< in nodes
  double weight;  ///< share of the total weight, times the plan's integers
};

/// Sums samples over the nodes of a plan's working grid, in integers. Each column of nodes is
/// summed by one thread. Columns whose samples share nodes are never summed at the same time.
class SpectralSpread {
 public:
  SpectralSpread(const SpectralPlan& plan, double total_weight, int threads);

  /// Places the samples and sorts them by column. Throws Error(cancelled), and Error(unsupported)
  /// if a sample weighs more than the plan's integers have digits for.
  void sort(const SamplesView& points, Progress& progress);
  /// Adds the sorted samples to `nodes`, which has rows of plan.row(). Throws Error(cancelled).
  void add(std::int64_t* nodes, Progress& progress) const;

  /// Bytes per sample during the sort, and bytes that do not depend on the samples.
  static constexpr double kSampleBytes = sizeof(NodeSample) + sizeof(std::int32_t);
  static double fixed_bytes(const SpectralPlan& plan, int threads);

 private:
  static void require_digits(double heaviest);
  std::int32_t columns(const SpectralAxis& axis) const;
  std::int32_t column_along(const SpectralAxis& axis, double at) const;
  NodeSample placed(const SamplesView& points, std::size_t i) const;
  /// Returns the column of a sample; -1 if its kernel reaches no cell.
  std::int32_t column_of(const NodeSample& sample) const;

  SpectralPlan plan_;
  /// Nodes of a column along y and z. At least the splines' order, so that columns two apart share
  /// no nodes.
  std::int32_t column_;
  double scale_;
  int threads_;
  std::vector<std::size_t> starts_;  // first sample of each column in samples_, and the end
  std::unique_ptr<NodeSample[]> samples_;
  std::size_t capacity_ = 0;
};

}  // namespace skde
