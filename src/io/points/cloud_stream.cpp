#include "io/points/cloud_stream.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace skde::io {
namespace {

/// So that cancelling and progress need not wait for a whole file.
constexpr std::size_t kMostRowsAtOnce = std::size_t{1} << 18;

/// Samples that load_cloud() copies at a time, few enough to stay in a core's cache.
constexpr std::size_t kLoadedAtOnce = std::size_t{1} << 13;

constexpr std::string_view kValueNames[] = {"x", "y", "z", "the weight", "the width"};

/// x, y, z, weight and width of a row.
using RowValues = std::array<double, 5>;

RowValues row_values(const Samples& chunk, std::size_t row) {
  const double* const xyz = chunk.xyz.data() + 3 * row;
  return {xyz[0], xyz[1], xyz[2], chunk.weights.empty() ? 1 : chunk.weights[row],
          chunk.widths.empty() ? 1 : chunk.widths[row]};
}

void copy_row(Samples& chunk, std::size_t from, std::size_t to) {
  std::copy_n(chunk.xyz.data() + 3 * from, 3, chunk.xyz.data() + 3 * to);
  if (!chunk.weights.empty()) chunk.weights[to] = chunk.weights[from];
  if (!chunk.widths.empty()) chunk.widths[to] = chunk.widths[from];
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
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
  const std::size_t rows = chunk.size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const RowValues values = row_values(chunk, row);
    const double weight = values[3], width = values[4];
    const auto refuse = [&](const std::string& why, const char* parameter, const char* mend) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: {}: {}", source_name(inputs_[next_input_ - 1]),
                              reader_->place_of(row), why),
                  {parameter, mend});
    };
    if (weight < 0)
      refuse(fmt::format("the weight {} is negative; weights are 0 or more", weight), "weights",
             "mend the row or choose another column of `weights`");
    if (width <= 0)
      refuse(fmt::format("the width {} is not above 0", width), "widths",
             "mend the row or choose another column of `widths`");
    const auto* const odd =
        std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
    if (odd != values.end()) {
      if (non_finite_ == NonFinite::error)
        refuse(fmt::format("{} is {}", kValueNames[odd - values.begin()], *odd), "nan",
               "mend the row or drop such rows with `nan=drop`");
      ++counts_.non_finite;
      continue;
    }
    if (weight == 0) {
      ++counts_.zero_weight;
      continue;
    }
    if (kept != row) copy_row(chunk, row, kept);
    ++kept;
  }
  counts_.rows += rows;
  chunk.xyz.resize(3 * kept);
  if (!chunk.weights.empty()) chunk.weights.resize(kept);
  if (!chunk.widths.empty()) chunk.widths.resize(kept);
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
    append(cloud.points.xyz, chunk.xyz);
    append(cloud.points.weights, chunk.weights);
    append(cloud.points.widths, chunk.widths);
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
