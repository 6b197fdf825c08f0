#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimate/cloud.hpp"
#include "estimate/density.hpp"
#include "estimate/engine_places.hpp"
#include "estimate/session.hpp"
#include "estimate/slab_sums.hpp"

namespace skde {

/// Where a session takes its samples from, and what it keeps between densities.
struct CloudSource {
  SessionOptions options;
  CloudFiles files;
  std::shared_ptr<const SampleCloud> cloud;  ///< null where the samples are not in memory
  bool in_parts = false;                     ///< the files may be read in parts
  EnginePlaces places;

  /// Bytes of host memory that may be used in all.
  std::int64_t memory_limit() const;
};

/// One density on its way from samples to values: reads what is needed, chooses bandwidth, grid and
/// engine, cuts the work, sums and normalises. Every step happens once.
class DensityWork {
 public:
  /// Reads what is needed and chooses bandwidth and grid. All references must outlive this. Throws
  /// what Session::compute says.
  DensityWork(CloudSource& source, const DensityRequest& request, VolumeUse use,
              Progress& progress);

  OfferTable offers();
  /// One of these, once.
  Density compute();
  DensityFacts stream(SliceSink& sink);

 private:
  /// What the choices go by.
  struct Known {
    GridAhead ahead;
    CloudFacts cloud;
    std::optional<CloudBeginning> beginning;  ///< of a cloud that is too large for memory
  };

  Known look_at_samples();
  void read_samples(Known& known);
  void set_up();
  /// Chooses the engine, cuts the work and gets the samples ready.
  void prepare();
  Precision precision_for() const;
  /// An engine's offer with what it needs memory for.
  struct Candidate {
    const EngineOffer* offer = nullptr;
    MemoryQuestion question;
    std::string shortage;  ///< why it cannot be held; empty where it can
  };
  Candidate candidate(const EngineOffer& offer);
  Candidate automatic_choice();
  Candidate named_choice();
  void choose_engine();
  bool may_be_read_in_parts() const;
  MemoryQuestion memory_question(const EngineOffer& offer, bool in_memory);
  void make_parts();
  void choose_weight_unit(FileParts& parts);

  SlabSums start_sums();
  Volume take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices);
  void keep_counts();
  bool all_inside() const;
  void keep_mass(double sum);
  /// The factor that turns sums into what was asked for; `mass` is their share inside the box.
  double factor_for(double mass) const;
  double weight_scale() const;  ///< W over what the sums were made for
  std::unique_ptr<ValueBuffer> whole_values();
  void stream_slabs(SliceSink& sink);
  void stream_whole(SliceSink& sink);
  double mass_of_slabs();

  CloudSource& source_;
  const DensityRequest& request_;
  VolumeUse use_;
  const SliceSink* sink_ = nullptr;  ///< that the slabs go to
  Progress& progress_;
  io::InputStamps inputs_;  ///< before anything is read
  DensityFacts facts_;
  Known known_;
  Problem problem_;
  std::vector<EngineOffer> offers_;
  Engine* engine_ = nullptr;
  bool one_pass_ = false;  ///< N and W are known after the last sample alone
  bool is_first_ = true;   ///< nothing was summed yet
  std::unique_ptr<SampleParts> parts_;
};

}  // namespace skde
