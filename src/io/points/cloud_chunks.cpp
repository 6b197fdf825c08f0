#include "io/points/cloud_chunks.hpp"

#include <exception>
#include <utility>

namespace skde::io {
namespace {

/// Of what one thread reads at a time.
constexpr std::size_t kRowsAtOnce = std::size_t{1} << 15;

}  // namespace

CloudChunks::CloudChunks(std::unique_ptr<CloudStream> stream) : stream_(std::move(stream)) {}

bool CloudChunks::read(Samples& chunk, const std::function<void(std::size_t)>& take,
                       const Progress& progress) {
  Lock lock(mutex_);
  try {
    while (!stopped_) {
      if (!pieces_) {
        pieces_ = stream_->untouched_pieces();
        next_piece_ = 0;
      }
      if (pieces_ && next_piece_ < pieces_->size()) {
        read_piece(lock, chunk, take);
        return !stopped_;
      }
      // What is not cut, and what follows, comes behind all pieces that were begun.
      if (taken_ < begun_) {
        changed_.wait(lock, [this] { return stopped_ || taken_ == begun_; });
        continue;
      }
      if (!pieces_ && read_rows(chunk, take, progress)) return true;
      pieces_.reset();
      stopped_ = !stream_->next_input();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    stopped_ = true;
    changed_.notify_all();
    throw;
  }
  changed_.notify_all();
  return false;
}

/// The next piece, without the lock while it is read; nothing is taken where others have stopped.
void CloudChunks::read_piece(Lock& lock, Samples& chunk,
                             const std::function<void(std::size_t)>& take) {
  const std::shared_ptr<InputPieces> pieces = pieces_;
  const std::size_t index = next_piece_++, turn = begun_++;
  lock.unlock();
  CloudCounts counts;
  std::exception_ptr failure;
  try {
    counts = pieces->read(index, chunk);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  changed_.wait(lock, [this, turn] { return stopped_ || taken_ == turn; });
  if (stopped_) return;
  if (failure) std::rethrow_exception(failure);
  take(chunk.size());
  piece_counts_ += counts;
  ++taken_;
  changed_.notify_all();
}

/// False at the end of the input.
bool CloudChunks::read_rows(Samples& chunk, const std::function<void(std::size_t)>& take,
                            const Progress& progress) {
  SilentProgress silent(progress);
  if (!stream_->read_input(chunk, kRowsAtOnce, silent)) return false;
  take(chunk.size());
  return true;
}

void CloudChunks::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

CloudCounts CloudChunks::counts() const {
  const std::lock_guard lock(mutex_);
  CloudCounts counts = stream_->counts();
  counts += piece_counts_;
  return counts;
}

}  // namespace skde::io
