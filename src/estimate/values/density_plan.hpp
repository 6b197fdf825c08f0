#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/problem.hpp"
#include "core/report/error.hpp"
#include "core/report/stage_times.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/values/memory_plan.hpp"
#include "estimate/values/request.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/columns/reading_choices.hpp"

namespace skde {

/// An engine that would have been faster than the chosen one.
struct RejectedEngine {
  std::string engine;
  std::string why;

  friend bool operator==(const RejectedEngine&, const RejectedEngine&) = default;
};

/// Per-sample bandwidths that adapt to the density.
struct AdaptiveFacts {
  double alpha = 0;
  double least = 1, largest = 1;  ///< factors on the common bandwidth

  friend bool operator==(const AdaptiveFacts&, const AdaptiveFacts&) = default;
};

/// The rows of an indexed file that are read; all others are known not to matter.
struct BlockChoice {
  std::uint64_t blocks = 0;              ///< of the file
  std::uint64_t file_rows = 0;           ///< of all blocks
  std::uint64_t read_blocks = 0;         ///< blocks that are read, wholly or in part
  std::vector<io::RowRange> read{};      ///< blocks or pieces of them, in the order of the file
  std::uint64_t box_rows = 0;            ///< that would be read if kernels had no reach
  std::uint64_t skipped_samples = 0;     ///< that are not read
  std::vector<std::size_t> part_ends{};  ///< of the samples that are read; see choose_blocks()

  /// Appends the rows that are read of one block.
  void add(const std::vector<io::RowRange>& of_block);
  std::uint64_t read_rows() const;
  std::size_t read_samples() const { return part_ends.empty() ? 0 : part_ends.back(); }
  /// Returns the share of the file's rows that are read.
  double share() const;
  /// Says what is read: "12 of 1,200 blocks (1.3 % of the rows; 0.4 % without the kernels' reach)".
  std::string describe() const;

  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// What is decided about a density: its plan and the facts of its result have this in common.
struct DensityDecisions {
  DensityRequest request{};

  io::CloudCounts counts{};
  io::ReadColumns columns{};  ///< without names if the samples came from memory
  Moments moments{};          ///< empty if `one_pass`
  CloudFacts cloud{};         ///< the samples as the engines see them
  bool one_pass = false;      ///< N and W are known only after the last sample

  Bandwidth bandwidth{};
  Kernel kernel{};
  std::optional<AdaptiveFacts> adaptive{};
  double min_width = 0;  ///< anti-aliasing floor in cells, of per-sample kernels: see SampleShapes
  Vec3 reach{};          ///< half extents of the widest kernel
  Grid grid{};
  double reach_ratio = 0;  ///< see DensitySetup
  Precision precision = Precision::f32;
  Normalization normalization = Normalization::density;
  Boundaries boundaries{};
  Problem problem{};

  std::string engine{};                    ///< the chosen one; empty if none serves the request
  Device device = Device::cpu;             ///< of the engine
  double error_bound = 0;                  ///< of a value, as a share of the peak
  std::vector<RejectedEngine> rejected{};  ///< faster engines that do not fit into memory, fastest
                                           ///< first
  MemoryPlan memory{};
  /// Set if the file has an index, and only some of its blocks reach the box. Moments and counts
  /// are those of the whole file.
  std::optional<BlockChoice> blocks{};
  std::string index_ignored{};  ///< why an index of the file is not used; empty if nothing is wrong

  friend bool operator==(const DensityDecisions&, const DensityDecisions&) = default;
};

/// Every decision about a request, and the predicted time and memory of its run. A plain value:
/// planning reads headers and moments, and sums nothing.
struct DensityPlan : DensityDecisions {
  VolumeUse use = VolumeUse::streamed;
  /// True if the bandwidth or the per-sample bandwidths depend on sums that the run makes first. A
  /// rule's bandwidths stand in until then; grid, offers and forecast follow from them.
  bool is_provisional = false;
  std::vector<EngineOffer> offers{};  ///< in the order of the table of engines
  WorkForecast forecast{};
  /// Why the plan cannot run: no engine serves the request, or memory is short. Grid and offers are
  /// valid all the same.
  std::optional<Error> obstacle{};

  /// Throws the obstacle, if there is one.
  void require_runnable() const {
    if (obstacle) throw Error(*obstacle);
  }
  friend bool operator==(const DensityPlan&, const DensityPlan&) = default;
};

}  // namespace skde
