#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/category_densities.hpp"
#include "commands/output/density_output.hpp"
#include "commands/output/volume_output.hpp"

namespace skde {
struct Projections;
}

namespace skde::cli {

/// Output of the volumes of categories: one file each, with the category in place of `{}` in the
/// path, or one file for all.
struct CategoryOutput {
  std::string pattern, format;
  std::vector<std::string> read;  ///< files that must not be overwritten

  bool is_file_each() const { return pattern.find("{}") != pattern.npos; }
};

/// Throws Error(usage), and what VolumeOutput throws, before anything is read.
void check_category_output(const CategoryOutput& output, const CategorySpec& spec);

/// Returns the paths of categories. Characters that file names cannot have become '_', and equal
/// paths are numbered.
std::vector<std::string> category_paths(const std::string& pattern,
                                        const std::vector<std::string>& names);

/// Writes one file per category. Each appears whole or not at all, and complete ones stay if a
/// later one fails.
class CategoryFiles final : public CategorySink {
 public:
  CategoryFiles(CategoryOutput output, FileNotes notes);

  void expect(const CategoryDensities& densities) override;
  SliceSink& sink_of(std::size_t category) override;
  void finish(const CategoryDensities& densities, Progress& progress) override;

  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  void keep_written();

  CategoryOutput output_;
  FileNotes notes_;
  std::vector<VolumeOutput> volumes_;
  std::vector<std::string> names_;
  std::vector<double> shares_;
  std::unique_ptr<DensityFiles> current_;
  std::vector<WrittenFile> written_;
};

/// Writes all categories into one file, which appears whole or not at all.
class CategoryFields final : public CategorySink {
 public:
  CategoryFields(const CategoryOutput& output, FileNotes notes, CategorySpec spec);

  void expect(const CategoryDensities& densities) override;
  SliceSink& sink_of(std::size_t category) override;
  void finish(const CategoryDensities& densities, Progress& progress) override;

  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  class Field;

  VolumeOutput volume_;
  FileNotes notes_;
  CategorySpec spec_;
  std::vector<std::string> names_;
  std::vector<double> shares_;
  std::unique_ptr<io::FieldsWriter> writer_;
  std::unique_ptr<SliceSink> current_;
  std::vector<WrittenFile> written_;
};

/// Draws the projections of all categories side by side, by one scale, beside another sink.
class CategoryPicture final : public CategorySink {
 public:
  /// Without a path nothing is drawn. `to` must outlive this.
  CategoryPicture(CategorySink& to, PictureFile picture, const FileNotes& notes, CategorySpec spec);
  ~CategoryPicture() override;

  void expect(const CategoryDensities& densities) override;
  SliceSink& sink_of(std::size_t category) override;
  void finish(const CategoryDensities& densities, Progress& progress) override;

  /// The picture, if it was written.
  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  class Drawn;

  CategorySink& to_;
  PictureFile picture_;
  FileNotes notes_;
  CategorySpec spec_;
  std::unique_ptr<SliceSink> current_;
  std::vector<Projections> projections_;
  std::vector<WrittenFile> written_;
};

}  // namespace skde::cli
