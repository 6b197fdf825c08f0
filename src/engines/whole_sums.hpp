#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// The sums of a partial problem over samples that come and go: whole numbers, so that they depend
/// on the samples that are there alone, and not on the order in which they came, on the others that
/// went again, or on what sums them: CPU threads and GPUs give the same bits.
class WholeSums {
 public:
  virtual ~WholeSums() = default;

  /// The bandwidth matrix of the kernels that are added and subtracted from now on.
  virtual void use_matrix(const Symmetric3& H) = 0;
  void add(const SamplesView& points, Progress& progress) { change(points, 1, progress); }
  /// Takes samples out again that were added.
  void subtract(const SamplesView& points, Progress& progress) { change(points, -1, progress); }

  /// In host memory, x fastest; until the next change.
  virtual const std::vector<std::int64_t>& sums() const = 0;
  /// The same; nothing is changed or asked for afterwards.
  virtual std::vector<std::int64_t> take_sums() = 0;

 private:
  virtual void change(const SamplesView& points, std::int64_t sign, Progress& progress) = 0;
};

/// What sums whole numbers.
struct WholeSumsPlace {
  int threads = 0;             ///< of the CPU; 0: one a core
  std::vector<int> devices{};  ///< GPUs that share the samples; none: the CPU sums
};
/// "span, 4 threads" or "cuda-chop-crop on GPU 0 and 1".
std::string to_text(const WholeSumsPlace& place);

/// Sums of the slices of the problem's grid, which have the bits that they have in the whole.
/// Error(input) where H is not positive definite, Error(resources) where a GPU is not there or its
/// memory does not hold them.
std::unique_ptr<WholeSums> make_whole_sums(const PartialProblem& problem,
                                           const WholeSumsPlace& place, SliceRange slices);

/// Bytes of a GPU's memory that sums of so many slices take.
double whole_sums_device_bytes(const PartialProblem& problem, std::int64_t slices);

}  // namespace skde
