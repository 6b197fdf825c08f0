#pragma once

#include "engines/engine.hpp"

namespace skde {

/// The engine's progress on a part of the samples, shown as a share of the stage that sums all of
/// them. The engine's other stages are shown if this is the only part; otherwise they only keep the
/// bar alive.
class PartProgress final : public Progress {
 public:
  PartProgress(Progress& shown, std::uint64_t before, std::uint64_t part, std::uint64_t all)
      : shown_(shown), before_(before), part_(part), all_(all) {}

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void update(std::uint64_t done) override;
  bool cancelled() const override { return shown_.cancelled(); }

  /// Begins the stage whose shares the parts are.
  static void begin_sum(Progress& shown, std::uint64_t all) {
    shown.begin(kAccumulateStage, all, "samples");
  }

 private:
  bool is_whole() const { return part_ == all_; }

  Progress& shown_;
  std::uint64_t before_, part_, all_, total_ = 0;
  bool sums_ = true;
};

}  // namespace skde
