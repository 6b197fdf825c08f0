#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "support/cases/density_cases.hpp"
#include "support/references/reference.hpp"

namespace skde::test {

/// Returns whether the types and all bits of all values are equal.
bool same_bits(const Volume& a, const Volume& b);

/// Returns the largest |a - factor b| as a share of factor times b's maximum. Infinite if a value
/// is not a number or the grids differ.
double relative_distance(const Volume& a, const Volume& b, double factor = 1);
/// The same of values in the order of cells. Infinite if their numbers differ.
double relative_distance(const Volume& a, const std::vector<double>& b, double factor = 1);
double relative_distance(const std::vector<double>& a, const std::vector<double>& b,
                         double factor = 1);
/// Returns the values of a volume, x fastest.
std::vector<double> numbers_of(const Volume& volume);

/// The cell with the largest error. `error` is its distance from the allowed range, as a share of
/// the larger of the peak and a tenth of one kernel's peak.
struct WorstCell {
  double error = 0, value = 0, expected = 0;
  std::int64_t index = -1;
};
WorstCell worst_cell(const Volume& volume, const DensityCase& density_case,
                     const Reference& reference, KernelFunction function);

/// Counts the cells whose value is not exactly 0 although no kernel covers them.
std::int64_t stray_cells(const Volume& volume, const Reference& reference);

/// Records the reports of an engine, and cancels after a number of updates.
struct RecordedProgress final : Progress {
  int stages_begun = 0, updates = 0;
  std::uint64_t total = 0, done = 0;  ///< of the last stage
  bool all_named = true;              ///< all stages and units have names
  bool grows = true;                  ///< updates never go back
  int cancel_after = -1;              ///< number of updates; -1 means never
  std::string_view cancel_in;         ///< the stage whose updates count; empty: all

  void begin(std::string_view stage, std::uint64_t units, std::string_view unit) override {
    ++stages_begun;
    if (stage == cancel_in) updates = 0;
    counts_ = cancel_in.empty() || stage == cancel_in;
    total = units;
    done = 0;
    all_named = all_named && !stage.empty() && !unit.empty();
  }
  void update(std::uint64_t so_far) override {
    ++updates;
    grows = grows && so_far >= done;
    done = so_far;
  }
  bool cancelled() const override {
    return counts_ && cancel_after >= 0 && updates >= cancel_after;
  }

 private:
  bool counts_ = true;
};

}  // namespace skde::test
