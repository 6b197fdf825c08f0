#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "estimate/read/error_probe.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

/// What to find out about the samples on their way through the first slab.
struct PassWishes {
  const PartStatistics* look = nullptr;  ///< its statistics are added to the facts; may be null
  FaceSamples* faces = nullptr;  ///< of the whole cloud, if it is looked at again; may be null
  bool moments = false;          ///< merge the moments into the facts
  ErrorProbe* probe = nullptr;   ///< adds up all samples; may be null
};

/// Sums the values of a problem over all parts of a cloud, one slab of the grid at a time. Adds
/// what this takes to the facts: stages, work, engine seconds.
class SlabSums {
 public:
  /// All references must outlive this. The progress counts samples over all slabs.
  SlabSums(Engine& engine, SampleParts& parts, const Problem& problem, BufferPool& pool,
           DensityFacts& facts, PassWishes wishes, Progress& progress);

  /// Returns the values of slices [z, z + slices). Those of several passes are added in host
  /// memory. Throws what the engine and the parts throw.
  std::unique_ptr<ValueBuffer> sum(std::int64_t z, std::int64_t slices);

 private:
  std::unique_ptr<ValueBuffer> sum_pass(std::size_t pass, std::int64_t z, std::int64_t slices);
  void count(const SamplePart& part);
  void add_parts(Run& run);
  void add_part(Run& run, const SamplePart& part);
  void keep_engine_stages(const StageTimes& stages, double seconds);

  Engine& engine_;
  SampleParts& parts_;
  const Problem& problem_;
  BufferPool& pool_;
  DensityFacts& facts_;
  PassWishes wishes_;
  Progress& progress_;
  Symmetric3 matrix_;       ///< bandwidth matrix of the current pass
  std::uint64_t all_;       ///< samples, over all slabs and passes
  std::uint64_t done_ = 0;  ///< those done
};

}  // namespace skde
