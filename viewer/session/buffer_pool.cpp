#include "viewer/session/buffer_pool.hpp"

#include <utility>

namespace skde::view {

BufferLease::~BufferLease() {
  if (pool_ && buffer_) pool_->give_back(std::move(buffer_));
}

BufferLease& BufferLease::operator=(BufferLease&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(buffer_, other.buffer_);
  // What this held must not wait for the other's end.
  const BufferLease ended = std::move(other);
  return *this;
}

BufferLease BufferPool::take(const Grid& grid) {
  std::unique_ptr<DensityBuffer> buffer;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(free_, [&](const auto& idle) { return !(idle->grid() == grid); });
    if (!free_.empty()) {
      buffer = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (buffer) {
    buffer->clear();
  } else {
    buffer = engine_->make_buffer();
    const std::lock_guard lock(mutex_);
    ++made_;
  }
  return {shared_from_this(), std::move(buffer)};
}

void BufferPool::trim() {
  const std::lock_guard lock(mutex_);
  free_.clear();
}

std::size_t BufferPool::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

void BufferPool::give_back(std::unique_ptr<DensityBuffer> buffer) {
  constexpr std::size_t kMostIdle = 2;
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMostIdle) free_.push_back(std::move(buffer));
}

}  // namespace skde::view
