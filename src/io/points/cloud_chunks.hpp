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

/// Says where a thread wants the samples that it reads.
class ChunkPlace {
 public:
  virtual ~ChunkPlace() = default;
  /// Returns room for as many samples as the thread's next chunk may hold; the chunk may turn out
  /// smaller. An empty span leaves the samples in the caller's chunk. Called for one chunk after
  /// another, in order, by one thread at a time; not called if the number of samples is unknown.
  virtual std::span<double> room_for(std::size_t /*samples*/) { return {}; }
  /// Says that the chunk has so many samples; called in the order of the chunks, by one thread at a
  /// time.
  virtual void take(std::size_t samples) = 0;
};

/// A stream that several threads read at once, chunk by chunk. Inputs that are cut are read piece
/// by piece, each piece by one thread; other inputs by one thread at a time. The samples, their
/// order and any error are those of a single thread.
class CloudChunks {
 public:
  explicit CloudChunks(std::unique_ptr<CloudStream> stream);

  /// Replaces `chunk` with the next samples, unless `place` had room for them, and calls take().
  /// There may be no samples. Returns false after the last chunk, and to all threads once one of
  /// them threw. May be called by any thread. Throws what CloudStream throws, after all earlier
  /// samples were taken.
  bool read(Samples& chunk, ChunkPlace& place, const Progress& progress);
  /// Stops all threads: their read() returns false.
  void stop();
  /// Counts of the chunks that were taken.
  CloudCounts counts() const;
  /// Number of threads worth reading with.
  int threads() const { return stream_->threads(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void wait_for_turn(Lock& lock, std::size_t turn);
  void end();
  void read_piece(Lock& lock, Samples& chunk, ChunkPlace& place);
  bool read_rows(Samples& chunk, ChunkPlace& place, const Progress& progress);

  std::unique_ptr<CloudStream> stream_;
  mutable std::mutex mutex_;
  /// A thread waits at entry `turn % turns_.size()` until all earlier pieces are taken, so that not
  /// every thread is woken each time.
  std::array<std::condition_variable, 32> turns_;
  std::shared_ptr<InputPieces> pieces_;  ///< pieces of the current input, if it is cut
  std::size_t next_piece_ = 0;           ///< next piece that no thread has begun
  std::size_t begun_ = 0, taken_ = 0;    ///< pieces of all inputs
  CloudCounts piece_counts_;
  bool stopped_ = false;
};

}  // namespace skde::io
