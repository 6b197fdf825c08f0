#pragma once

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "estimate/cloud_source.hpp"
#include "estimate/density.hpp"
#include "estimate/engine_places.hpp"
#include "estimate/evidence_bandwidth.hpp"
#include "estimate/image_parts.hpp"
#include "estimate/part_look.hpp"
#include "estimate/session.hpp"
#include "estimate/slab_sums.hpp"

namespace skde {

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
    std::optional<CloudBeginning> beginning;  ///< of a cloud that is read in parts
    std::int64_t rows = 0;  ///< that are promised where one pass is enough; 0: nobody knows
  };

  Known look_at_samples();
  void read_samples(Known& known);
  bool prefers_parts(const GridAhead& ahead, const io::CloudStream& stream) const;
  void start_device();
  void set_up();
  /// That samples come from, with widths where they adapt; null where they are not in memory.
  const std::shared_ptr<const SampleCloud>& cloud() const {
    return request_.adaptive ? source_.adapted : source_.cloud;
  }
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
  const EngineOffer* likely_choice() const;
  void choose_engine();
  void foretell();
  bool may_be_read_in_parts() const;
  MemoryQuestion memory_question(const EngineOffer& offer, const BoundaryImages* images,
                                 bool in_memory);
  void ask_device(MemoryQuestion& question, const EngineOffer& offer);
  void make_parts();
  std::unique_ptr<SampleParts> cloud_parts(bool loads);
  std::unique_ptr<SampleParts> file_parts(const BoundaryImages* images);
  std::unique_ptr<FileParts> open_parts(std::int64_t samples_a_part, Engine* engine);
  void read_ahead();
  /// What the faces of the box make of samples for an engine that offers this; nothing where it
  /// wraps along all axes that have boundaries. Throws what BoundaryImages throws.
  std::optional<BoundaryImages> images_for(const Offer& offer) const;
  std::size_t images_a_part() const;
  void choose_weight_unit(FileParts& parts);

  SlabSums start_sums();
  bool is_approximate() const;
  void compare_with_probe(ValueBuffer& values);
  void keep_measured(double peak);
  Volume take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices);
  void keep_counts();
  bool all_inside() const;
  void keep_mass(double sum);
  double mass_in_box() const;
  void bound_shares();
  /// The factor that turns sums into what was asked for; `sum` is what the cells come to.
  double factor_for(double sum) const;
  double weight_scale() const;  ///< W over what the sums were made for
  std::unique_ptr<ValueBuffer> whole_values();
  void stream_slabs(SliceSink& sink);
  void stream_whole(SliceSink& sink);

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
  const EngineOffer* chosen_ = nullptr;
  Engine* engine_ = nullptr;
  bool one_pass_ = false;                   ///< N and W are known after the last sample alone
  bool is_first_ = true;                    ///< nothing was summed yet
  Vec3 reach_;                              ///< of the widest kernel
  std::optional<PartLook> look_;            ///< at the samples, the first time that they are summed
  std::optional<ErrorProbe> probe_;         ///< where values are approximated
  std::unique_ptr<FileParts> ahead_;        ///< that are read before the engine is chosen
  std::optional<std::int64_t> host_limit_;  ///< before they took any memory
  std::unique_ptr<SampleParts> parts_;
  const FileParts* files_ = nullptr;  ///< that the parts come from; null where memory does
  std::future<void> starting_;        ///< a device that is likely to be chosen
};

}  // namespace skde
