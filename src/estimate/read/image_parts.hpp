#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimate/read/boundary_images.hpp"
#include "estimate/read/sample_parts.hpp"

namespace skde {

/// The images, at the faces of the box, of the samples of another source. As many are made at a
/// time as the memory plan allows, and loaded where the engine works.
class ImageParts final : public SampleParts {
 public:
  /// The engine and the progress must outlive this object. `keeps`: the samples of the parts are
  /// loaded, and are images of themselves. They are passed on unchanged, and then the new images.
  ImageParts(std::unique_ptr<SampleParts> parts, BoundaryImages images, Engine& engine,
             std::size_t images_a_part, bool keeps, const Progress& progress);

  void rewind() override;
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return parts_->is_one_part(); }
  std::size_t passes() const override { return images_.passes(); }
  void choose_pass(std::size_t pass) override { pass_ = pass; }
  std::optional<Symmetric3> matrix() const override { return images_.matrix(pass_); }

  /// Returns how many images are held for parts of this size, including those being made.
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
  std::optional<SamplePart> source_;  ///< the part whose images come next
  std::size_t taken_ = 0;             ///< samples taken from it
  Samples made_;
  std::vector<Samples> scratch_;
  std::unique_ptr<LoadedSamples> loaded_;
};

}  // namespace skde
