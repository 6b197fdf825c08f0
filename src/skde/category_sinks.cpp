#include "skde/category_sinks.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/error.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kPlace = "{}";
constexpr std::size_t kLongestName = 100;

/// A category as a part of a file's name: no folder of its own, no hidden file, nothing that a
/// shell or another system trips over.
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
  return path.replace(path.find(kPlace), kPlace.size(), part);
}

}  // namespace

void check_category_output(const CategoryOutput& output) {
  if (output.pattern == "-")
    throw Error(ErrorKind::usage, "-o -: the volumes of categories do not go to standard output");
  if (!output.is_file_each())
    throw Error(ErrorKind::usage,
                fmt::format("-o {}: is one file for the volumes of all categories", output.pattern),
                {{}, "name a file each, with {} for the category, as in 'out_{}.vti'"});
  const VolumeOutput one(with_category(output.pattern, "category"), output.format, output.read);
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

}  // namespace skde::cli
