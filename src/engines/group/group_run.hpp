#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/group/device_group.hpp"
#include "engines/group/group_samples.hpp"
#include "engines/group/group_sharing.hpp"
#include "engines/group/group_values.hpp"

namespace skde {

/// Most slices of a member's slab, in units of an equal share of the grid's slices.
inline constexpr double kMostShares = 1.5;

/// A run that the members of a group share, side by side: by slabs, or by tiles of the whole grid
/// that are added up. The first samples decide which of the two, and where the slabs lie.
class GroupRun final : public Run {
 public:
  /// `plain` is for samples of the common kernel, `shaped` for samples with kernels of their own.
  /// The members must outlive this object.
  GroupRun(std::span<const GroupMember> members, const Problem& problem, const GroupSharing& plain,
           const GroupSharing& shaped, std::unique_ptr<ValueBuffer> reuse);

  StageTimes add(const LoadedSamples& samples, Progress& progress) override;
  StageTimes finish(Progress& progress) override;
  std::unique_ptr<ValueBuffer> take_values() override;
  std::string launch_policy() const override;

 private:
  struct Slab {
    SliceRange slices;
    std::unique_ptr<Run> run;  ///< null if there are no slices
  };
  /// The bounds of the slabs, and the largest share of the work in one slab.
  struct Cuts {
    std::vector<std::int64_t> at;
    double largest_share = 1;
  };
  /// Calls work(run, member, progress) for all members, side by side. Returns each stage's time on
  /// the slowest member.
  template <class Work>
  StageTimes by_members(Progress& progress, const Work& work);
  void begin_members(const GroupSharing& sharing, const std::vector<double>& heights);
  Cuts cuts(std::int64_t step, const std::vector<double>& heights) const;
  void add_up();

  std::span<const GroupMember> members_;
  Problem problem_;
  GroupSharing plain_, shaped_;
  std::vector<SlabValues> reuse_;
  std::vector<Slab> slabs_;  ///< one per member, once they are begun
  bool by_tiles_ = false;    ///< each member's slab is then the whole grid
  std::unique_ptr<ValueBuffer> added_up_;
};

}  // namespace skde
