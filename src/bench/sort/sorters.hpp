#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/sort/sort_case.hpp"
#include "engines/engine_options.hpp"

namespace skde::bench {

/// Sorts copies of items that it was given, which must outlive it.
class SortRun {
 public:
  virtual ~SortRun() = default;
  /// Sorts a new copy, and returns the seconds of the sort alone.
  virtual double sort() = 0;
  /// Returns the items of the last sort, once.
  virtual SortItems take_sorted() = 0;
};

/// A row of the table of sorters.
struct Sorter {
  std::string_view name, what;
  Device device;
  /// Its time grows as N^2, so that it is measured up to 2^most_bits items; without this, its time
  /// grows as N log N or little more.
  std::optional<int> most_bits;
  bool stable;  ///< values of equal keys stay in order
  /// Prepares a run; `device` is the index of a CUDA device. Throws Error(resources) without room.
  std::unique_ptr<SortRun> (*begin)(const SortItems& items, int device);

  /// Returns why it cannot run here; empty if it can.
  std::string unavailable() const;
};

/// Returns the table.
std::span<const Sorter> sorters();

}  // namespace skde::bench
