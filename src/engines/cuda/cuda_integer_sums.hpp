#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/integer_sums.hpp"

namespace skde {

/// Integer sums on GPUs. Each GPU adds the kernels of a share of the samples to its own sums, which
/// are added up on request. Work is shared evenly, whatever the cloud.
class CudaIntegerSums final : public IntegerSums {
 public:
  /// `devices` holds at least one index. Throws Error(input) if H is not positive definite, and
  /// Error(resources) if a device does not exist or its memory cannot hold the sums.
  CudaIntegerSums(const PartialProblem& problem, const std::vector<int>& devices,
                  SliceRange slices);
  ~CudaIntegerSums() override;

  void use_matrix(const Symmetric3& H) override;
  const std::vector<std::int64_t>& sums() const override;
  std::vector<std::int64_t> take_sums() override;

 private:
  class Member;

  void change(const SamplesView& points, std::int64_t sign, Progress& progress) override;
  void fetch() const;

  PartialProblem problem_;
  std::vector<std::unique_ptr<Member>> members_;
  mutable std::vector<std::int64_t> fetched_;
  mutable bool is_fetched_ = false;
};
extern const IntegerAccumulator kCudaIntegerSums;

}  // namespace skde
