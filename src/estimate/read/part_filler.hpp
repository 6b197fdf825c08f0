#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "estimate/read/part_statistics.hpp"
#include "estimate/read/sample_places.hpp"
#include "io/points/cloud_chunks.hpp"

namespace skde {

/// Room for the samples of a part, which several threads fill. The memory is untouched until then.
class SampleRoom {
 public:
  SampleRoom(std::size_t most, const io::ColumnSelection& columns);

  /// Copies samples to the places from `begin` on.
  void put(std::size_t begin, const SamplesView& points);
  /// Returns x, y and z of `count` places from `begin` on.
  std::span<double> xyz(std::size_t begin, std::size_t count) {
    return {xyz_.get() + 3 * begin, 3 * count};
  }
  SamplesView view(std::size_t count) const;

 private:
  std::unique_ptr<double[]> xyz_, weights_, widths_, shapes_;  ///< null if no sample has such
                                                               ///< values
  std::atomic<bool> has_weights_ = false, has_widths_ = false, has_shapes_ = false;
};

/// Reads the samples of a stream into parts of one size. Threads read pieces of the files into
/// their places, or copy them there, and gather statistics on the way. Neither the samples of a
/// part nor its statistics depend on the number of threads.
class PartFiller {
 public:
  /// A part, with its statistics.
  struct Part {
    SamplesView points;
    std::span<const PartStatistics::Block> blocks;  ///< including their moments
    const PartFindings* found = nullptr;            ///< null if not requested
  };

  /// Begins to read parts of `most` samples into `rooms`, in turn: first the samples `first`, then
  /// those of the stream. `look` may be null. Without `moments`, blocks only have the moments of
  /// Moments::add_totals(). All references must outlive this object, and so must the rooms.
  /// Progress is only asked for cancellation.
  PartFiller(std::span<SampleRoom* const> rooms, std::size_t most, Samples first,
             std::unique_ptr<io::CloudStream> stream, const PartStatistics* look, bool moments,
             const Progress& progress);
  /// Stops and joins the threads.
  ~PartFiller();
  PartFiller(const PartFiller&) = delete;
  PartFiller& operator=(const PartFiller&) = delete;

  /// Waits for the next part, which is valid until it is released. Returns none after the last one.
  /// Throws what reading its samples threw.
  std::optional<Part> next();
  /// Releases the oldest part that next() returned; its room is filled again.
  void release();
  /// Stops reading; next() then has no more parts.
  void stop();
  /// Returns the rows read and dropped so far.
  io::CloudCounts counts() const { return chunks_.counts(); }

 private:
  struct Slot {
    SampleRoom* room = nullptr;
    std::vector<PartStatistics::Block> blocks;
    std::vector<std::size_t> put;  ///< samples put into each block
    std::size_t done = 0;          ///< samples put and looked at
    std::optional<PartFindings> found;
    bool ready = false;
  };
  class Place;
  Slot& slot_of(std::uint64_t part) { return slots_[part % slots_.size()]; }
  bool has_room(std::uint64_t begin, std::size_t count) const;
  void work();
  void put_first();
  void put(std::uint64_t begin, SamplesView points);
  void note_put(Slot& slot, std::size_t begin, std::size_t count);
  void look_at(Slot& slot, std::size_t block, std::size_t samples);
  void finish(Slot& slot, std::size_t samples);
  void finish_last();
  void fail(bool at_once);

  std::size_t most_;
  Samples first_;
  io::CloudChunks chunks_;
  const PartStatistics* look_;
  bool moments_;
  const Progress& progress_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<Slot> slots_;      ///< part i is in slot i modulo the number of slots
  std::size_t first_begun_ = 0;  ///< samples of first_ that threads have begun to put
  std::size_t first_put_ = 0;    ///< samples of first_ that were put
  SamplePlaces places_;
  std::uint64_t given_ = 0;     ///< parts that next() returned
  std::uint64_t released_ = 0;  ///< parts that were released
  std::size_t active_ = 0;      ///< threads at work
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace skde
