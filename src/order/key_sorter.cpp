#include "order/key_sorter.hpp"

#include "core/report/error.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

class CpuKeySorter final : public KeySorter {
 public:
  std::string device() const override { return "CPU"; }
  void sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) override {
    sort_order(keys, order);
  }
};

}  // namespace

std::unique_ptr<KeySorter> cpu_key_sorter() { return std::make_unique<CpuKeySorter>(); }

#if !SKDE_HAS_CUDA
std::unique_ptr<KeySorter> gpu_key_sorter() {
  throw Error(ErrorKind::unsupported, "this build has no CUDA",
              {"engine", "use `engine=cpu`, or configure it with SKDE_WITH_CUDA=ON"});
}
bool has_gpu_key_sorter() { return false; }
#endif

}  // namespace skde
