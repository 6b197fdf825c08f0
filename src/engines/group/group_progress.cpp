#include "engines/group/group_progress.hpp"

namespace skde {
namespace {

/// Units in which a member's work is shown.
constexpr double kUnits = 1000;

}  // namespace

GroupProgress::GroupProgress(Progress& shown, const FirstFailure& failure, std::size_t members)
    : shown_(shown), failure_(failure), members_(members, Member(*this)) {}

void GroupProgress::Member::begin(std::string_view stage, std::uint64_t total, std::string_view) {
  const std::lock_guard lock(group_.showing_);
  total_ = total;
  share_ = 0;
  if (group_.begun_) return;
  group_.begun_ = true;
  group_.shown_.begin(stage, static_cast<std::uint64_t>(kUnits) * group_.members_.size(), "parts");
}

void GroupProgress::Member::update(std::uint64_t done) {
  const std::lock_guard lock(group_.showing_);
  if (total_ > 0) share_ = static_cast<double>(done) / static_cast<double>(total_);
  double sum = 0;
  for (const Member& member : group_.members_) sum += member.share_;
  group_.shown_.update(static_cast<std::uint64_t>(kUnits * sum));
}

bool GroupProgress::Member::cancelled() const {
  return group_.failure_.any() || group_.shown_.cancelled();
}

}  // namespace skde
