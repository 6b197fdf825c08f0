#include "commands/output/category_sinks.hpp"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "core/report/error.hpp"
#include "core/space/projection.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "pictures/projection_picture.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kCategoryPlace = "{}";
constexpr std::size_t kLongestName = 100;

/// Returns the category as a part of a file name: it makes no folder and no hidden file, and has no
/// character that is special for a shell or another system.
std::string file_part(const std::string& name) {
  constexpr std::string_view kOdd = "/\\:*?\"<>|";
  std::string part = name.substr(0, kLongestName);
  for (char& c : part)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || kOdd.find(c) != kOdd.npos) c = '_';
  if (part.starts_with('.')) part[0] = '_';
  return part;
}

std::string with_category(const std::string& pattern, const std::string& part) {
  std::string path = pattern;
  return path.replace(path.find(kCategoryPlace), kCategoryPlace.size(), part);
}

}  // namespace

void check_category_output(const CategoryOutput& output, const CategorySpec& spec) {
  if (output.pattern == "-")
    throw Error(ErrorKind::usage,
                "-o -: volumes of categories cannot go to standard output; name a file");
  if (!output.is_file_each()) {
    const VolumeOutput one(output.pattern, output.format, output.read);
    if (one.format().open_fields) return;
    throw Error(ErrorKind::usage,
                fmt::format("-o {}: a file of {} holds only one volume, not one per category",
                            output.pattern, one.format().name),
                {{}, "name one file each, with {} for the category, or one file of vti or netcdf"});
  }
  const VolumeOutput one(with_category(output.pattern, "category"), output.format, output.read);
  if (spec.standard_error) require_several_volumes(one.format(), output.pattern);
}

std::vector<std::string> category_paths(const std::string& pattern,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string part = file_part(name);
    std::string path = with_category(pattern, part);
    for (int number = 2; !taken.insert(path).second; ++number)
      path = with_category(pattern, fmt::format("{}_{}", part, number));
    paths.push_back(std::move(path));
  }
  return paths;
}

CategoryFiles::CategoryFiles(CategoryOutput output, FileNotes notes)
    : output_(std::move(output)), notes_(std::move(notes)) {}

void CategoryFiles::expect(const CategoryDensities& densities) {
  for (const CategoryFacts& category : densities.categories) {
    names_.push_back(category.name);
    shares_.push_back(category.share);
  }
  volumes_.reserve(names_.size());
  for (const std::string& path : category_paths(output_.pattern, names_))
    volumes_.emplace_back(path, output_.format, output_.read);
}

SliceSink& CategoryFiles::sink_of(std::size_t category) {
  keep_written();
  FileNotes notes = notes_;
  notes.category = names_[category];
  notes.category_share = shares_[category];
  current_ = std::make_unique<DensityFiles>(&volumes_[category], PictureFile{}, std::move(notes));
  return *current_;
}

void CategoryFiles::keep_written() {
  if (!current_) return;
  for (const WrittenFile& file : current_->written()) written_.push_back(file);
  current_.reset();
}

void CategoryFiles::finish(const CategoryDensities&, Progress&) { keep_written(); }

namespace {

/// Returns the metadata that all volumes of a file share.
DensityMetadata common_metadata(const CategoryDensities& densities, const FileNotes& notes,
                                const CategorySpec& spec) {
  const bool own = spec.bandwidth == CategoryBandwidth::own;
  DensityFacts facts;
  facts.counts = densities.counts;
  facts.columns = densities.columns;
  facts.moments = densities.moments;
  facts.bandwidth = densities.bandwidth;
  facts.kernel = {densities.kernel, densities.bandwidth.H};
  if (own) facts.bandwidth.source += " of each category";
  facts.grid = densities.grid;
  facts.precision = densities.precision;
  facts.normalization = densities.normalization;
  facts.boundaries = densities.boundaries;
  facts.engine = "chosen for each category";
  facts.warnings = densities.warnings;
  return file_metadata(facts, notes);
}

}  // namespace

/// Writes the slices of one category to the common file.
class CategoryFields::Field final : public SliceSink {
 public:
  Field(io::FieldsWriter& writer, std::size_t category, FileNotes notes)
      : writer_(writer), category_(category), notes_(std::move(notes)) {}

  void begin(const DensityFacts&) override {}
  void take(std::int64_t, const Volume& slices, Progress& progress) override {
    writer_.write(slices.value_span(), progress);
  }
  void finish(const DensityFacts& facts, Progress&) override {
    if (notes_.standard_error)
      io::describe_with_errors(writer_, 2 * category_, file_metadata(facts, notes_));
    else
      writer_.describe(category_, file_metadata(facts, notes_));
  }

 private:
  io::FieldsWriter& writer_;
  std::size_t category_;
  FileNotes notes_;
};

CategoryFields::CategoryFields(const CategoryOutput& output, FileNotes notes, CategorySpec spec)
    : volume_(output.pattern, output.format, output.read), notes_(std::move(notes)), spec_(spec) {}

void CategoryFields::expect(const CategoryDensities& densities) {
  for (const CategoryFacts& category : densities.categories) {
    names_.push_back(category.name);
    shares_.push_back(category.share);
  }
  const std::vector<std::string> fields =
      notes_.standard_error ? io::with_standard_errors(names_) : names_;
  Grid all = densities.grid;
  all.dims[2] *= static_cast<std::int64_t>(fields.size());
  volume_.format().require_room(volume_.path(), all, densities.precision);
  writer_ = volume_.format().open_fields(volume_.path(), densities.grid, densities.precision,
                                         fields, common_metadata(densities, notes_, spec_));
}

SliceSink& CategoryFields::sink_of(std::size_t category) {
  FileNotes notes = notes_;
  notes.category = names_[category];
  notes.category_share = shares_[category];
  current_ = std::make_unique<Field>(*writer_, category, std::move(notes));
  return *current_;
}

void CategoryFields::finish(const CategoryDensities& densities, Progress& progress) {
  writer_->finish(common_metadata(densities, notes_, spec_), progress);
  written_ = volume_.deliver(progress);
}

/// Projects the slices that it hands on.
class CategoryPicture::Drawn final : public SliceSink {
 public:
  Drawn(SliceSink& to, std::vector<Projections>& projections)
      : to_(to), projections_(projections) {}

  bool keeps_all() const override { return to_.keeps_all(); }
  std::int64_t held_bytes(const Grid& grid, Precision precision) const override {
    return to_.held_bytes(grid, precision) + MaximumProjector::held_bytes(grid.dims, precision);
  }
  void expect(const Grid& grid, Precision precision) override { to_.expect(grid, precision); }
  void begin(const DensityFacts& facts) override {
    slices_ = facts.grid.dims[2];
    projector_ = std::make_unique<MaximumProjector>(facts.grid.dims);
    to_.begin(facts);
  }
  void take(std::int64_t z, const Volume& slices, Progress& progress) override {
    if (z < slices_) projector_->add(z, slices);  // standard errors come after them
    to_.take(z, slices, progress);
  }
  void finish(const DensityFacts& facts, Progress& progress) override {
    projections_.push_back(projector_->take_projections());
    to_.finish(facts, progress);
  }

 private:
  SliceSink& to_;
  std::vector<Projections>& projections_;
  std::unique_ptr<MaximumProjector> projector_;
  std::int64_t slices_ = 0;
};

CategoryPicture::CategoryPicture(CategorySink& to, PictureFile picture, const FileNotes& notes,
                                 CategorySpec spec)
    : to_(to), picture_(std::move(picture)), notes_(notes), spec_(spec) {}

CategoryPicture::~CategoryPicture() = default;

void CategoryPicture::expect(const CategoryDensities& densities) {
  constexpr std::size_t kMost = 16;
  if (!picture_.path.empty() && densities.categories.size() > kMost)
    throw Error(ErrorKind::usage,
                fmt::format("{} categories are too many for a picture of {}",
                            densities.categories.size(), kMost),
                {"picture", "leave out `picture`, or choose categories with `where`"});
  to_.expect(densities);
}

SliceSink& CategoryPicture::sink_of(std::size_t category) {
  SliceSink& to = to_.sink_of(category);
  if (picture_.path.empty()) return to;
  current_ = std::make_unique<Drawn>(to, projections_);
  return *current_;
}

void CategoryPicture::finish(const CategoryDensities& densities, Progress& progress) {
  to_.finish(densities, progress);
  if (picture_.path.empty()) return;
  ProjectionSheet sheet{"Kernel densities, maximum projections", {}, std::move(projections_)};
  for (const CategoryFacts& category : densities.categories)
    sheet.captions.push_back(category.name);
  const DensityMetadata metadata = common_metadata(densities, notes_, spec_);
  written_.push_back(written_picture(
      picture_.path,
      write_projection_sheet(picture_.path, sheet, densities.grid, metadata, picture_.look),
      progress));
}

}  // namespace skde::cli
