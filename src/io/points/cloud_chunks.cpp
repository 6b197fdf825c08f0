#include "io/points/cloud_chunks.hpp"

#include <exception>
#include <utility>

namespace skde::io {
namespace {

/// Rows that one thread reads at a time, from inputs that are not cut into pieces.
constexpr std::size_t kChunkRows = std::size_t{1} << 15;

}  // namespace

CloudChunks::CloudChunks(std::unique_ptr<CloudStream> stream) : stream_(std::move(stream)) {}

bool CloudChunks::read(Samples& chunk, ChunkPlace& place, const Progress& progress) {
  Lock lock(mutex_);
  try {
    while (!stopped_) {
      if (!pieces_) {
        pieces_ = stream_->untouched_pieces();
        next_piece_ = 0;
      }
      if (pieces_ && next_piece_ < pieces_->size()) {
        read_piece(lock, chunk, place);
        return !stopped_;
      }
      // An input that is not cut, and the next input, must wait until all begun pieces are taken.
      if (taken_ < begun_) {
        wait_for_turn(lock, begun_);
        continue;
      }
      if (!pieces_ && read_rows(chunk, place, progress)) return true;
      pieces_.reset();
      stopped_ = !stream_->next_input();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    end();
    throw;
  }
  end();
  return false;
}

void CloudChunks::wait_for_turn(Lock& lock, std::size_t turn) {
  turns_[turn % turns_.size()].wait(lock, [&] { return stopped_ || taken_ >= turn; });
}

/// Requires the lock.
void CloudChunks::end() {
  stopped_ = true;
  for (std::condition_variable& turn : turns_) turn.notify_all();
}

/// Reads the next piece, without holding the lock. Nothing is taken if the stream was stopped.
void CloudChunks::read_piece(Lock& lock, Samples& chunk, ChunkPlace& place) {
  const std::shared_ptr<InputPieces> pieces = pieces_;
  const std::size_t index = next_piece_++, turn = begun_++;
  const std::size_t bare = pieces->bare_rows(index);
  const std::span<double> room = bare > 0 ? place.room_for(bare) : std::span<double>();
  lock.unlock();
  CloudCounts counts;
  std::exception_ptr failure;
  try {
    counts = room.empty() ? pieces->read(index, chunk) : pieces->read_bare(index, room);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  wait_for_turn(lock, turn);
  if (stopped_) return;
  if (failure) std::rethrow_exception(failure);
  place.take(counts.samples());
  piece_counts_ += counts;
  ++taken_;
  turns_[taken_ % turns_.size()].notify_all();
}

/// Returns false at the end of the input.
bool CloudChunks::read_rows(Samples& chunk, ChunkPlace& place, const Progress& progress) {
  SilentProgress silent(progress);
  if (!stream_->read_input(chunk, kChunkRows, silent)) return false;
  place.take(chunk.size());
  return true;
}

void CloudChunks::stop() {
  const std::lock_guard lock(mutex_);
  end();
}

CloudCounts CloudChunks::counts() const {
  const std::lock_guard lock(mutex_);
  CloudCounts counts = stream_->counts();
  counts += piece_counts_;
  return counts;
}

}  // namespace skde::io
