#include "viewer/layers/samples/shown_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

#include "estimate/read/cloud.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/text/text_fields.hpp"

namespace skde::view {
namespace {

constexpr std::size_t kSamplesAtOnce = std::size_t{1} << 16;
constexpr std::size_t kMostTexts = 100000;  // more are no categories

/// Returns how the files are read for the job.
CloudFiles files_of(const PointJob& job, bool of_texts) {
  CloudFiles files = job.cloud->files;
  files.non_finite = io::NonFinite::drop;  // rows without a value are not shown
  std::string& where = files.columns.where;
  if (!job.where.empty())
    where = where.empty() ? job.where : fmt::format("({}) && ({})", where, job.where);
  files.columns.others.clear();
  if (of_texts)
    files.columns.category = job.column;
  else if (!job.column.empty())
    files.columns.others.push_back(job.column);
  if (!job.size_column.empty()) files.columns.others.push_back(job.size_column);
  files.columns.most_categories = kMostTexts;
  return files;
}

/// Sorts the categories by their frequency among the samples that were found.
void take_categories(const std::vector<std::uint32_t>& of_samples, const io::CategoryNames& names,
                     ShownPoints& found) {
  std::vector<PointCategory>& categories = found.categories;
  for (std::size_t i = 0; i < names.size(); ++i) categories.push_back({names.name(i)});
  for (const std::uint32_t category : of_samples) ++categories[category].samples;
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return categories[i].samples; });
  std::vector<PointCategory> sorted;
  std::vector<double> places(names.size());
  for (const std::size_t i : order) {
    if (categories[i].samples == 0) break;
    places[i] = static_cast<double>(sorted.size());
    sorted.push_back(std::move(categories[i]));
  }
  categories = std::move(sorted);
  for (const std::uint32_t category : of_samples) found.values.push_back(places[category]);
}

/// Returns whether most samples have a number: then the others are mistakes, not texts.
bool are_mostly_numbers(const ShownPoints& points) {
  std::size_t numbers = 0;
  for (const PointCategory& category : points.categories)
    if (double number = 0; io::parse_number(category.name, number)) numbers += category.samples;
  return 2 * numbers > points.samples.size();
}

/// Returns the axis from the least to the greatest value.
ValueAxis axis_over(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, greatest] = std::ranges::minmax(values);
  // A single value is in the middle.
  return least < greatest ? ValueAxis{least, greatest} : ValueAxis{least - 0.5, least + 0.5};
}

Error changed() {
  return {ErrorKind::input,
          "the files no longer hold the samples that are shown",
          {{}, "open them again; for a tangent frame, give the middle with `geographic`"}};
}

ShownPoints read_points(const PointJob& job, bool of_texts, Progress& progress) {
  const CloudFiles files = files_of(job, of_texts);
  if (std::ranges::count(files.paths, "-") > 0)
    throw Error(ErrorKind::usage, "standard input cannot be read again for other columns",
                {{}, "save it to a file, and open the file"});
  io::CloudStream stream(files.paths, files.columns, files.non_finite);
  const SamplesView all = job.cloud->points;
  const bool has_values = !of_texts && !job.column.empty(), has_sizes = !job.size_column.empty();
  ShownPoints found;
  std::vector<std::uint32_t> categories;
  Samples chunk;
  std::size_t next = 0;  // rows come in the order of the samples, some of which they leave out
  while (stream.read(chunk, kSamplesAtOnce, progress)) {
    const std::size_t columns = chunk.values.size() / chunk.size();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const Vec3 place = chunk.view().point(i);
      if (!lies_within(place, job.within)) continue;
      while (next < all.size() && !(all.point(next) == place)) ++next;
      if (next == all.size()) throw changed();
      found.samples.push_back(static_cast<std::uint32_t>(next++));
      if (has_values) found.values.push_back(chunk.values[i * columns]);
      if (has_sizes) found.sizes.push_back(chunk.values[(i + 1) * columns - 1]);
      if (of_texts) categories.push_back(chunk.categories[i]);
    }
  }
  if (of_texts) take_categories(categories, stream.categories(), found);
  found.value_axis = axis_over(found.values);
  found.size_axis = axis_over(found.sizes);
  return found;
}

/// Reads numbers, or else texts. An error of a column that seems to be of numbers is that of its
/// numbers.
ShownPoints read_numbers_or_texts(const PointJob& job, Progress& progress) {
  try {
    return read_points(job, false, progress);
  } catch (const Error& error) {
    if (job.column.empty() || error.kind() != ErrorKind::input) throw;
    try {
      ShownPoints found = read_points(job, true, progress);
      if (!are_mostly_numbers(found)) return found;
    } catch (const Error& other) {
      if (other.kind() == ErrorKind::cancelled) throw;
    }
    throw;
  }
}

/// Returns the flag whose column an error is about.
std::string_view flag_of(const PointJob& job, const Error& error) {
  const bool names_size =
      std::string_view(error.what()).find("'" + job.size_column + "'") != std::string_view::npos;
  return !job.size_column.empty() && (job.column.empty() || names_size) ? "points_size_by"
                                                                        : "points_color";
}

}  // namespace

ShownPoints find_points(const PointJob& job, Progress& progress) {
  try {
    return read_numbers_or_texts(job, progress);
  } catch (const Error& error) {
    throw error.renaming("where", "points_where")
        .renaming("value", std::string(flag_of(job, error)));
  }
}

}  // namespace skde::view
