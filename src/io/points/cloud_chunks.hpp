#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::io {

/// Where a thread wants the samples that it reads.
class ChunkPlace {
 public:
  virtual ~ChunkPlace() = default;
  /// Room for so many samples of the chunk that the thread begins with, which are at most as many,
  /// or none, so that they are put into the caller's chunk: for one chunk after another in their
  /// order, by one thread at a time. Not asked where nobody knows how many samples are to come.
  virtual std::span<double> room_for(std::size_t /*samples*/) { return {}; }
  /// The chunk has so many samples: for one after another in their order, by one thread at a time.
  virtual void take(std::size_t samples) = 0;
};

/// A stream that several threads read at once, chunk by chunk: pieces of inputs that are cut, each
/// by one of them; others by one thread at a time. Samples, their order and the error where there
/// is one are those of a single thread.
class CloudChunks {
 public:
  explicit CloudChunks(std::unique_ptr<CloudStream> stream);

  /// Replaces `chunk` with the next samples, which may be none, unless `place` had room for them,
  /// and has it take them. False behind the last chunk, and for all threads once one of them threw.
  /// Called by any thread; throws what CloudStream throws, once all that is before was taken.
  bool read(Samples& chunk, ChunkPlace& place, const Progress& progress);
  /// All threads read no more, and their read() is false.
  void stop();
  /// Of the chunks that were taken.
  CloudCounts counts() const;
  /// That it is worth reading by.
  int threads() const { return stream_->threads(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void wait_for_turn(Lock& lock, std::size_t turn);
  void end();
  void read_piece(Lock& lock, Samples& chunk, ChunkPlace& place);
  bool read_rows(Samples& chunk, ChunkPlace& place, const Progress& progress);

  std::unique_ptr<CloudStream> stream_;
  mutable std::mutex mutex_;
  /// Who waits until all pieces before a turn are taken does so at the turn modulo their number, so
  /// that not every thread is woken each time.
  std::array<std::condition_variable, 32> turns_;
  std::shared_ptr<InputPieces> pieces_;  ///< of the input, where it is cut
  std::size_t next_piece_ = 0;           ///< of them, that nobody has begun
  std::size_t begun_ = 0, taken_ = 0;    ///< pieces of all inputs
  CloudCounts piece_counts_;
  bool stopped_ = false;
};

}  // namespace skde::io
