#include "service/http/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace skde::service {
namespace {

/// Covers a few copies of the largest JSON body, which has half a million values. Pages that are
/// never written to cost only address space.
constexpr std::size_t kReserve = std::size_t{64} << 20;

std::atomic<void*> reserve{nullptr};

/// The allocation is tried again after this returns.
void on_want_of_memory() {
  void* const part = reserve.exchange(nullptr);
  if (!part) throw std::bad_alloc();
  std::free(part);
}

}  // namespace

void keep_memory_reserve() {
  std::set_new_handler(on_want_of_memory);
  refill_memory_reserve();
}

bool refill_memory_reserve() {
  if (reserve.load()) return true;
  void* const part = std::malloc(kReserve);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, part)) std::free(part);
  return part != nullptr;
}

}  // namespace skde::service
