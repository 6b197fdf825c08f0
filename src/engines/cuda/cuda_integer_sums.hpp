#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/integer_sums.hpp"

namespace skde {

/// Sums in integers on GPUs: each adds the kernels of a share of the samples to sums of its
/// own, which are added up when someone asks for them. Work is shared evenly whatever the cloud.
class CudaIntegerSums final : public IntegerSums {
 public:
  /// `devices`: indices, at least one. Error(input) where H is not positive definite,
  /// Error(resources) where a device is not there or its memory does not hold the sums.
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
