#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/group/device_group.hpp"
#include "engines/group/group_samples.hpp"
#include "engines/group/group_values.hpp"

namespace skde {

/// Equal shares of the grid's slices that a member's slab has at the most.
inline constexpr double kMostShares = 1.5;

/// A run whose slabs are computed by the members of a group, side by side. Where the slabs lie is
/// decided by the first samples that are added.
class GroupRun final : public Run {
 public:
  /// `cut_step`: slices at whose multiples slabs begin. The members must outlive this.
  GroupRun(std::span<const GroupMember> members, const Problem& problem, std::int64_t cut_step,
           std::unique_ptr<ValueBuffer> reuse);

  StageTimes add(const LoadedSamples& samples, Progress& progress) override;
  StageTimes finish(Progress& progress) override;
  std::unique_ptr<ValueBuffer> take_values() override;
  std::string launch_policy() const override;

 private:
  struct Slab {
    SliceRange slices;
    std::unique_ptr<Run> run;  ///< null where there are no slices
  };
  /// What all slabs' work takes: work(run, member, progress), side by side.
  template <class Work>
  StageTimes by_slabs(Progress& progress, const Work& work);
  void begin_slabs(const std::vector<double>& heights);
  std::vector<std::int64_t> cuts(const std::vector<double>& heights) const;

  std::span<const GroupMember> members_;
  Problem problem_;
  std::int64_t cut_step_;
  std::vector<SlabValues> reuse_;
  std::vector<Slab> slabs_;  ///< one a member, once they are begun
};

}  // namespace skde
