#include "estimate/stream/part_progress.hpp"

namespace skde {

void PartProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  total_ = total;
  sums_ = stage == kAccumulateStage;
  if (!is_whole()) return;
  if (sums_)
    begin_sum(shown_, all_);
  else
    shown_.begin(stage, total, unit);
}

void PartProgress::update(std::uint64_t done) {
  if (total_ == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  if (sums_)
    shown_.update(before_ + static_cast<std::uint64_t>(share * static_cast<double>(part_)));
  else
    shown_.update(is_whole() ? done : before_);
}

}  // namespace skde
