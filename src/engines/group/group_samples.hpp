#pragma once

#include <memory>
#include <vector>

#include "engines/engine.hpp"

namespace skde {

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

}  // namespace skde
