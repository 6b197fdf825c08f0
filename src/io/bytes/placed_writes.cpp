#include "io/bytes/placed_writes.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace skde::io {
namespace {

bool is_in_memory(int descriptor) {
  struct statfs facts {};
  return fstatfs(descriptor, &facts) == 0 && facts.f_type == TMPFS_MAGIC;
}

}  // namespace

int write_all(int descriptor, std::uint64_t position, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = pwrite(descriptor, bytes, count, static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes += done;
    position += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return 0;
}

PlacedWrites::PlacedWrites(int descriptor, std::uint64_t bytes)
    : descriptor_(descriptor), bytes_(bytes) {
#ifdef MADV_POPULATE_WRITE
  if (bytes == 0 || !is_in_memory(descriptor)) return;
  void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (map == MAP_FAILED) return;
  map_ = static_cast<char*>(map);
  reserving_ = std::jthread([this](const std::stop_token& stop) { reserve(stop); });
#endif
}

PlacedWrites::~PlacedWrites() {
  if (reserving_.joinable()) {
    reserving_.request_stop();
    reserving_.join();
  }
  if (map_ != nullptr) munmap(map_, bytes_);
}

/// Threads that make pages of one file at once wait for each other.
void PlacedWrites::reserve(const std::stop_token& stop) const {
  constexpr std::uint64_t kAtOnce = std::uint64_t{32} << 20;
  for (std::uint64_t first = 0; first < bytes_ && !stop.stop_requested(); first += kAtOnce) {
    const std::uint64_t some = std::min(kAtOnce, bytes_ - first);
    // A write to a page for which there is no room reports that.
    if (fallocate(descriptor_, 0, static_cast<off_t>(first), static_cast<off_t>(some)) != 0) return;
  }
}

int PlacedWrites::write(std::uint64_t position, const void* bytes, std::size_t count) {
  const char* const from = static_cast<const char*>(bytes);
  if (count == 0) return 0;
  if (map_ == nullptr || position > bytes_ || count > bytes_ - position)
    return write_all(descriptor_, position, from, count);
  return write_mapped(position, from, count);
}

int PlacedWrites::write_mapped(std::uint64_t position, const char* bytes, std::size_t count) {
#ifdef MADV_POPULATE_WRITE
  // A page for which there is no room would end the process when it is written to; here it is an
  // error.
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = position / page * page;
  const auto span = static_cast<std::size_t>(position + count - first);
  while (madvise(map_ + first, span, MADV_POPULATE_WRITE) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno == EFAULT) return ENOSPC;
    return write_all(descriptor_, position, bytes, count);  // an older Linux
  }
#endif
  std::memcpy(map_ + position, bytes, count);
  return 0;
}

}  // namespace skde::io
