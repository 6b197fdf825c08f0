#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.hpp"
#include "engines/group/device_group.hpp"
#include "engines/value_buffer.hpp"

namespace skde {

/// The values of a slab, and the slab's first slice.
struct SlabValues {
  std::int64_t first = 0;
  std::unique_ptr<ValueBuffer> values;
};

/// The values of a grid whose slabs lie on several devices.
class GroupValues final : public ValueBuffer {
 public:
  /// `slabs` must be all slabs of the grid, at least one.
  GroupValues(const Grid& grid, std::vector<SlabValues> slabs)
      : target_(grid), slabs_(std::move(slabs)) {}

  const Target& target() const override { return target_; }
  Precision precision() const override { return slabs_.front().values->precision(); }
  ValueTotals totals() override;
  void scale(double factor) override;
  Volume take_volume() override;
  void put_slices(Volume& whole, std::int64_t first) override;
  /// Throws std::bad_variant_access: the target is a grid.
  std::vector<double> take_point_values() override;

  /// Hands over the memory of the slabs.
  std::vector<SlabValues> release() { return std::move(slabs_); }

 private:
  Target target_;
  std::vector<SlabValues> slabs_;
};

/// Samples that every member has loaded.
class GroupSamples final : public LoadedSamples {
 public:
  /// Returns the samples as those of a group. Throws std::invalid_argument if no group loaded them.
  static const GroupSamples& of_group(const LoadedSamples& samples);

  std::size_t size() const override { return members_.front()->size(); }
  Moments moments() const override { return members_.front()->moments(); }

  /// One per member; null before the first load.
  std::vector<std::unique_ptr<LoadedSamples>>& members() { return members_; }
  const LoadedSamples& of(std::size_t member) const { return *members_[member]; }
  /// Keeps shaped() and the z (world units) of some of the samples, by which slabs are balanced.
  void look_at(const SamplesView& points);
  const std::vector<double>& heights() const { return heights_; }
  /// True if the samples have bandwidth factors or shapes of their own.
  bool shaped() const { return shaped_; }

 private:
  std::vector<std::unique_ptr<LoadedSamples>> members_;
  std::vector<double> heights_;
  bool shaped_ = false;
};

/// How the members of a group may share a run.
struct GroupSharing {
  /// By slabs: they may begin at multiples of this many slices; 0: not by slabs.
  std::int64_t cut_step = 0;
  /// By tiles: seconds, including the addition of the members' grids; 0: not by tiles.
  double tile_seconds = 0;
  double seconds = 0;  ///< on one member alone
  double bytes = 0;    ///< of its memory that a member with all slices takes at most

  bool by_slabs() const { return cut_step > 0; }
  bool by_tiles() const { return tile_seconds > 0; }
  bool is_shared() const { return by_slabs() || by_tiles(); }
  /// Returns the seconds by slabs, if the slab with the most work has this share of all work.
  double slab_seconds(double largest_share) const;
};

/// Returns the ways of sharing that are worth it for this many members, which all work like
/// `engine`.
GroupSharing sharing_of(const Engine& engine, const Problem& problem, bool shaped,
                        std::size_t members);

/// Most slices of a member's slab, in units of an equal share of the grid's slices, unless every
/// member has memory for all of them.
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
  Cuts cuts(const GroupSharing& sharing, const std::vector<double>& heights) const;
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
