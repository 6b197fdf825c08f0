#include "io/points/ordered_pieces.hpp"

#include <algorithm>
#include <utility>

namespace skde::io {

OrderedPieces::OrderedPieces(std::shared_ptr<InputPieces> pieces, int threads)
    : pieces_(std::move(pieces)), slots_(static_cast<std::size_t>(threads) + 1) {
  const std::size_t most = std::min(static_cast<std::size_t>(threads), pieces_->size());
  threads_.reserve(most);
  for (std::size_t t = 0; t < most; ++t) threads_.emplace_back([this] { work(); });
}

OrderedPieces::~OrderedPieces() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OrderedPieces::fill(Slot& slot, std::size_t index) {
  slot.failure = nullptr;
  try {
    slot.counts = pieces_->read(index, slot.samples);
  } catch (...) {
    slot.failure = std::current_exception();
  }
}

void OrderedPieces::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || begun_ < taken_ + slots_.size(); });
    if (stopped_ || begun_ == pieces_->size()) return;
    const std::size_t index = begun_++;
    Slot& slot = slots_[index % slots_.size()];
    lock.unlock();
    fill(slot, index);
    lock.lock();
    slot.ready = true;
    changed_.notify_all();
  }
}

bool OrderedPieces::next(Samples& samples, CloudCounts& counts) {
  std::unique_lock lock(mutex_);
  if (taken_ == pieces_->size()) return false;
  Slot& slot = slots_[taken_ % slots_.size()];
  changed_.wait(lock, [&slot] { return slot.ready; });
  if (slot.failure) std::rethrow_exception(slot.failure);
  std::swap(samples, slot.samples);
  counts += slot.counts;
  slot.ready = false;
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return true;
}

double OrderedPieces::done() const {
  return static_cast<double>(taken_) / static_cast<double>(pieces_->size());
}

}  // namespace skde::io
