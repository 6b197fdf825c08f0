#include "io/points/cloud_stream.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

/// So that cancelling and progress need not wait for a whole file.
constexpr std::size_t kMostRowsAtOnce = std::size_t{1} << 18;

/// Samples that load_cloud() copies at a time, few enough to stay in a core's cache.
constexpr std::size_t kLoadedAtOnce = std::size_t{1} << 13;

constexpr std::string_view kValueNames[] = {"x", "y", "z", "the weight"};

/// The first of the four values of a row that is not finite.
std::size_t first_non_finite(const double* xyz) {
  std::size_t axis = 0;
  while (axis < 3 && std::isfinite(xyz[axis])) ++axis;
  return axis;
}

/// Reserves room and asks for it in huge pages: for most of the time that binary files take to
/// load, the kernel hands out small ones. Where it will not, nothing is lost but time.
void reserve_in_huge_pages(std::vector<double>& values, std::uint64_t count) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  values.reserve(count);
  void* first = values.data();
  std::size_t bytes = values.capacity() * sizeof(double);
  if (std::align(kHugePage, kHugePage, first, bytes) != nullptr)
    ::madvise(first, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
}

}  // namespace

CloudStream::CloudStream(std::vector<std::string> inputs, ColumnSelection columns,
                         NonFinite non_finite)
    : inputs_(std::move(inputs)), columns_(std::move(columns)), non_finite_(non_finite) {
  if (inputs_.empty())
    throw Error(ErrorKind::usage, "no input is named", {{}, "name files, or - for standard input"});
  if (std::ranges::count(inputs_, "-") > 1)
    throw Error(ErrorKind::usage, "standard input (-) can be read only once", {{}, "name it once"});
  open_next();
}

void CloudStream::open_next() {
  reader_ = open_points(inputs_[next_input_], columns_);
  ++next_input_;
  announced_ = false;
  if (next_input_ == 1) read_ = reader_->columns();
  if (!columns_.coordinates.empty()) return;
  if (const std::string how = disagreement(read_, reader_->columns()); !how.empty())
    throw Error(ErrorKind::input, fmt::format("{}: {}", source_name(inputs_[next_input_ - 1]), how),
                {"columns",
                 "name three columns that all files have with `columns`, or read them "
                 "apart"});
}

std::uint64_t CloudStream::checked_rows() const {
  if (!reader_ || reader_->bytes_total() == 0) return 0;
  return reader_->expected_rows().value_or(0);
}

bool CloudStream::read(Samples& chunk, std::size_t most, Progress& progress) {
  chunk.xyz.clear();
  chunk.weights.clear();
  chunk.widths.clear();
  chunk.shapes.clear();
  chunk.categories.clear();
  while (reader_ && chunk.size() == 0 && most > 0) {
    progress.throw_if_cancelled();
    if (!announced_)
      progress.begin("reading " + source_name(inputs_[next_input_ - 1]), reader_->bytes_total(),
                     "bytes");
    announced_ = true;
    if (reader_->read(chunk, std::min(most, kMostRowsAtOnce))) {
      keep_usable(chunk);
      progress.update(reader_->bytes_read());
    } else if (next_input_ < inputs_.size()) {
      open_next();
    } else {
      reader_.reset();
    }
  }
  return chunk.size() > 0;
}

void CloudStream::keep_usable(Samples& chunk) {
  const bool weighted = !chunk.weights.empty();
  const std::size_t rows = chunk.size();
  const bool opacities = columns_.weight.empty() && is_splat(columns_.widths);
  Samples widths;
  chunk.categories.resize(columns_.categorised() ? rows : 0);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const xyz = chunk.xyz.data() + 3 * row;
    double weight = weighted ? chunk.weights[row] : 1.0;
    const std::uint32_t category = columns_.categorised() ? category_of(chunk, row) : 0;
    if (opacities) weight = splat_weight(weight);
    const auto place = [&] {
      return source_name(inputs_[next_input_ - 1]) + ": " + reader_->place_of(row);
    };
    if (weight < 0)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: the weight {} is negative; weights are 0 or more", place(), weight),
          {"weights", "mend the row or choose another column of `weights`"});
    const std::size_t odd = first_non_finite(xyz);
    if (odd < 3 || !std::isfinite(weight)) {
      if (non_finite_ == NonFinite::error)
        throw Error(
            ErrorKind::input,
            fmt::format("{}: {} is {}", place(), kValueNames[odd], odd < 3 ? xyz[odd] : weight),
            {"nan", "mend the row or drop such rows with `nan=drop`"});
      ++counts_.non_finite;
      continue;
    }
    if (!has_finite_widths(chunk, row)) {
      if (non_finite_ == NonFinite::error)
        throw Error(ErrorKind::input, fmt::format("{}: a width is not finite", place()),
                    {"nan", "mend the row or drop such rows with `nan=drop`"});
      ++counts_.non_finite;
      continue;
    }
    if (weight == 0) {
      ++counts_.zero_weight;
      continue;
    }
    if (columns_.shaped() &&
        !append_width(widths_of(chunk, row), columns_.widths, columns_.width_form, widths))
      throw Error(
          ErrorKind::input,
          fmt::format("{}: the widths are {}", place(),
                      columns_.widths.size() > 3 ? "no positive definite matrix" : "not above 0"),
          {"widths", "mend the row or choose other columns of `widths`"});
    if (kept != row) std::copy_n(xyz, 3, chunk.xyz.data() + 3 * kept);
    if (weighted) chunk.weights[kept] = weight;
    if (columns_.categorised()) chunk.categories[kept] = category;
    ++kept;
  }
  counts_.rows += rows;
  chunk.xyz.resize(3 * kept);
  chunk.weights.resize(weighted ? kept : 0);
  chunk.widths = std::move(widths.widths);
  chunk.shapes = std::move(widths.shapes);
  chunk.categories.resize(columns_.categorised() ? kept : 0);
  if (columns_.categorised()) require_few_categories();
}

/// Every row counts, whether its sample is kept or not.
std::uint32_t CloudStream::category_of(const Samples& chunk, std::size_t row) {
  const std::size_t columns = reader_->width_columns();
  const double number = chunk.widths[columns * row + columns - 1];
  const CategoryNames* const texts = reader_->category_texts();
  return texts ? categories_.of(texts->name(static_cast<std::size_t>(number)))
               : categories_.of(number);
}

void CloudStream::require_few_categories() const {
  if (categories_.size() <= columns_.most_categories) return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: column {} has {} categories in {} rows, more than {}; the commonest are {}",
                  source_name(inputs_[next_input_ - 1]), excerpt(columns_.category),
                  categories_.size(), categories_.rows(), columns_.most_categories,
                  categories_.commonest()),
      {"by", "name a column of categories, or allow more with `max_categories`"});
}

/// The columns of widths of a row as they were read; without that of categories.
std::span<const double> CloudStream::widths_of(const Samples& chunk, std::size_t row) const {
  const std::size_t columns = reader_->width_columns(), others = columns_.categorised() ? 1 : 0;
  return {chunk.widths.data() + columns * row, columns - others};
}

bool CloudStream::has_finite_widths(const Samples& chunk, std::size_t row) const {
  return std::ranges::all_of(widths_of(chunk, row), [](double v) { return std::isfinite(v); });
}

LoadedCloud load_cloud(CloudStream& stream, std::uint64_t most, Progress& progress) {
  LoadedCloud cloud;
  if (stream.inputs_left() == 0) {
    const std::uint64_t rows = std::min(stream.checked_rows(), most);
    reserve_in_huge_pages(cloud.points.xyz, 3 * rows);
    if (stream.weighted()) reserve_in_huge_pages(cloud.points.weights, rows);
  }
  Samples chunk;
  while (stream.read(chunk, kLoadedAtOnce, progress)) {
    append_samples(cloud.points, chunk.view());
    if (cloud.points.size() > most) {
      cloud.complete = false;
      break;
    }
  }
  cloud.counts = stream.counts();
  cloud.columns = stream.columns();
  return cloud;
}

LoadedCloud load_cloud(const std::vector<std::string>& inputs, const ColumnSelection& columns,
                       NonFinite non_finite, Progress& progress) {
  CloudStream stream(inputs, columns, non_finite);
  return load_cloud(stream, std::numeric_limits<std::uint64_t>::max(), progress);
}

}  // namespace skde::io
