#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimate/read/sample_parts.hpp"
#include "estimate/sum/boundary_images.hpp"

namespace skde {

/// The images of other parts' samples at the faces of the box, so many at a time as memory was
/// planned for, loaded where the engine works.
class ImageParts final : public SampleParts {
 public:
  /// The engine and the progress must outlive this. `keeps`: the parts hold samples that are loaded
  /// and images of themselves; they are handed on as they are, and then what is new.
  ImageParts(std::unique_ptr<SampleParts> parts, BoundaryImages images, Engine& engine,
             std::size_t images_a_part, bool keeps, const Progress& progress);

  void rewind() override;
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return parts_->is_one_part(); }
  std::size_t passes() const override { return images_.passes(); }
  void choose_pass(std::size_t pass) override { pass_ = pass; }
  std::optional<Symmetric3> matrix() const override { return images_.matrix(pass_); }

  /// How many images are held for parts of so many, with those on their way.
  static double held(std::size_t images_a_part) { return 1.5 * static_cast<double>(images_a_part); }

 private:
  void fill();

  std::unique_ptr<SampleParts> parts_;
  BoundaryImages images_;
  Engine& engine_;
  std::size_t most_;
  bool keeps_;
  const Progress& progress_;
  std::size_t pass_ = 0;
  std::optional<SamplePart> source_;  ///< whose images come next
  std::size_t taken_ = 0;             ///< samples of it
  Samples made_;
  std::vector<Samples> scratch_;
  std::unique_ptr<LoadedSamples> loaded_;
};

}  // namespace skde
