#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimate/density_setup.hpp"
#include "estimate/sample_chunks.hpp"
#include "viewer/session/buffer_pool.hpp"

namespace skde::view {

/// Samples in memory, and what follows from them alone. Never changes once it is made.
struct SampleCloud {
  CloudFiles files;
  PointCloud points;
  io::CloudCounts counts;
  Moments moments;
};

/// A density where its engine left it, and how it came about.
struct ViewedDensity {
  Grid grid;
  /// As a volume file would have it, but for command line and version. All of a file's own where a
  /// volume was opened.
  DensityMetadata metadata;
  BufferLease buffer;  ///< normalised as asked for; complete, nothing writes to it any more
  Device device = Device::cpu;  ///< where the buffer is
  double peak = 0;              ///< the largest value
  std::string launch_policy;
  StageTimes stages;
  double seconds = 0;  ///< of the whole, from the request to the values

  EllipsoidKernel kernel() const { return {metadata.kernel, metadata.H}; }
};

/// The values of h that the rules take for samples; none where the rule cannot be used, as with a
/// flat cloud.
struct BandwidthSuggestions {
  std::optional<double> silverman, scott;
};
/// `spec` with its bandwidth replaced by each rule.
BandwidthSuggestions suggest_bandwidths(const Moments& moments, BandwidthSpec spec,
                                        KernelFunction kernel);

/// A cloud that is loaded once and turned into densities as often as wanted. Used by one thread at
/// a time; what it returns may go to another.
class DensitySession {
 public:
  /// Reads clouds, or takes note of a volume file that stands alone. What was open before stays
  /// open where this throws: what io::load_cloud throws, Error(usage) where a volume has company,
  /// and Error(resources) where the samples do not fit into memory.
  void open(const CloudFiles& files, Progress& progress);
  /// Samples that are in memory already.
  void open(PointCloud points);
  bool is_open(const CloudFiles& files) const { return open_ && *open_ == files; }
  /// Null where a volume is open, or nothing.
  const std::shared_ptr<const SampleCloud>& cloud() const { return cloud_; }

  /// Bandwidth, grid, and a run of the engine into a buffer that stays where the engine works.
  /// Where no engine is named, and no device, a GPU is taken where there is one: it has been
  /// started, and nothing needs to come back from it. A volume file is read.
  /// Throws what set_up_density, make_engine and the engine throw, and what io::read_volume throws.
  ViewedDensity compute(const DensityRequest& request, Progress& progress);
  /// Buffers that the engines in use have made; constant while grid and engine stay.
  std::size_t buffers_made() const;

 private:
  /// An engine with the cloud loaded.
  struct Loaded {
    std::string name;
    std::shared_ptr<BufferPool> buffers;
  };

  void adopt(std::shared_ptr<const SampleCloud> cloud);
  ViewedDensity estimate(const DensityRequest& request, Progress& progress);
  ViewedDensity read_volume() const;
  BufferPool& engine_named(const std::string& name, const EngineOptions& options,
                           StageTimes& stages);

  std::optional<CloudFiles> open_;
  std::string volume_file_;  // empty where a cloud is open
  std::shared_ptr<const SampleCloud> cloud_;
  EngineOptions options_;  // of the engines
  std::vector<Loaded> engines_;
};

}  // namespace skde::view
