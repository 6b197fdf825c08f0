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

/// Room for the samples of a part, which several threads put there. It is not touched before.
class SampleRoom {
 public:
  SampleRoom(std::size_t most, const io::ColumnSelection& columns);

  /// Samples to places `begin` and on.
  void put(std::size_t begin, const SamplesView& points);
  /// Where x, y and z of so many samples lie from place `begin` on.
  std::span<double> xyz(std::size_t begin, std::size_t count) {
    return {xyz_.get() + 3 * begin, 3 * count};
  }
  SamplesView view(std::size_t count) const;

 private:
  std::unique_ptr<double[]> xyz_, weights_, widths_, shapes_;  ///< null where no sample has any
  std::atomic<bool> has_weights_ = false, has_widths_ = false, has_shapes_ = false;
};

/// Reads the samples of a stream into parts of one size, by threads that read pieces of the files
/// to where they belong, or put them there, and look at them on the way. Which samples are in a
/// part, and what is found out about them, does not depend on the number of threads.
class PartFiller {
 public:
  /// A part, and what was found out about it.
  struct Part {
    SamplesView points;
    std::span<const PartStatistics::Block> blocks;  ///< with their moments
    const PartFindings* found = nullptr;            ///< null where nobody wished for any
  };

  /// Begins to read parts of `most` samples into `rooms`, one after the other: first the samples
  /// `first`, then those of the stream. `look` may be null. Without `moments` blocks have those of
  /// Moments::add_totals() alone. All references must outlive this, and so must the rooms. Progress
  /// is asked for cancellation alone.
  PartFiller(std::span<SampleRoom* const> rooms, std::size_t most, Samples first,
             std::unique_ptr<io::CloudStream> stream, const PartStatistics* look, bool moments,
             const Progress& progress);
  /// Ends the threads.
  ~PartFiller();
  PartFiller(const PartFiller&) = delete;
  PartFiller& operator=(const PartFiller&) = delete;

  /// Waits for the next part, which is valid until it is released; none behind the last one. Throws
  /// what reading its samples threw.
  std::optional<Part> next();
  /// The room of the oldest part that was not released is filled again.
  void release();
  /// Nothing is read any more, and next() has no more parts.
  void stop();
  /// Rows read and dropped so far.
  io::CloudCounts counts() const { return chunks_.counts(); }

 private:
  struct Slot {
    SampleRoom* room = nullptr;
    std::vector<PartStatistics::Block> blocks;
    std::vector<std::size_t> put;  ///< samples of each block
    std::size_t done = 0;          ///< samples that were put and looked at
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
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::vector<Slot> slots_;      ///< part i is in slot i modulo their number
  std::size_t first_begun_ = 0;  ///< samples of the first ones that a thread has begun to put
  std::size_t first_put_ = 0;    ///< and that were put
  SamplePlaces places_;
  std::uint64_t given_ = 0;     ///< parts that next() gave
  std::uint64_t released_ = 0;  ///< of them
  std::size_t active_ = 0;      ///< threads
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace skde
