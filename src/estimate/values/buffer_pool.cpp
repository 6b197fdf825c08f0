#include "estimate/values/buffer_pool.hpp"

#include <utility>

namespace skde {

BufferLease::~BufferLease() {
  if (pool_ && buffer_) pool_->give_back(std::move(buffer_));
}

BufferLease& BufferLease::operator=(BufferLease&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(buffer_, other.buffer_);
  // Releases the buffer held before at once, not when `other` ends.
  const BufferLease ended = std::move(other);
  return *this;
}

std::unique_ptr<ValueBuffer> BufferPool::take_idle(const Problem& problem) {
  const std::lock_guard lock(mutex_);
  std::erase_if(
      idle_, [&](const auto& buffer) { return !buffer->fits(problem.target, problem.precision); });
  if (idle_.empty()) return nullptr;
  std::unique_ptr<ValueBuffer> buffer = std::move(idle_.back());
  idle_.pop_back();
  return buffer;
}

BufferLease BufferPool::lease(std::unique_ptr<ValueBuffer> buffer) {
  return {shared_from_this(), std::move(buffer)};
}

void BufferPool::give_back(std::unique_ptr<ValueBuffer> buffer) {
  constexpr std::size_t kMostIdle = 2;
  const std::lock_guard lock(mutex_);
  if (buffer && idle_.size() < kMostIdle) idle_.push_back(std::move(buffer));
}

std::int64_t BufferPool::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& buffer : idle_)
    bytes += target_size(buffer->target()) * value_bytes(buffer->precision());
  return bytes;
}

void BufferPool::trim() {
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

}  // namespace skde
