#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "core/progress.hpp"
#include "core/samples.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::io {

/// A stream that several threads read at once, chunk by chunk: pieces of inputs that are cut, each
/// by one of them; others by one thread at a time. Samples, their order and the error where there
/// is one are those of a single thread.
class CloudChunks {
 public:
  explicit CloudChunks(std::unique_ptr<CloudStream> stream);

  /// Replaces `chunk` with the next samples, which may be none, and calls `take` with their number:
  /// for one chunk after another in their order, by one thread at a time. False behind the last
  /// chunk, and for all threads once one of them threw. Called by any thread; throws what
  /// CloudStream throws, once `take` was called for all that is before.
  bool read(Samples& chunk, const std::function<void(std::size_t)>& take, const Progress& progress);
  /// All threads read no more, and their read() is false.
  void stop();
  /// Of the chunks that were taken.
  CloudCounts counts() const;
  /// That it is worth reading by.
  int threads() const { return stream_->threads(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void read_piece(Lock& lock, Samples& chunk, const std::function<void(std::size_t)>& take);
  bool read_rows(Samples& chunk, const std::function<void(std::size_t)>& take,
                 const Progress& progress);

  std::unique_ptr<CloudStream> stream_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<InputPieces> pieces_;  ///< of the input, where it is cut
  std::size_t next_piece_ = 0;           ///< of them, that nobody has begun
  std::size_t begun_ = 0, taken_ = 0;    ///< pieces of all inputs
  CloudCounts piece_counts_;
  bool stopped_ = false;
};

}  // namespace skde::io
