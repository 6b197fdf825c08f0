#include "io/points/formats/open_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/packing.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/points/readers/other_formats.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

class GeographicReader final : public PointReader {
 public:
  GeographicReader(std::unique_ptr<PointReader> reader, const Geographic& wanted,
                   const std::string& file)
      : reader_(std::move(reader)), places_(wanted, reader_->columns(), file) {
    set_columns(places_.described());
  }

  bool read(Samples& chunk, std::size_t most) override {
    if (!reader_->read(chunk, most)) return false;
    places_.convert(chunk.xyz, [this](std::size_t row) { return reader_->place_of(row); });
    return true;
  }

  std::size_t left_out() const override { return reader_->left_out(); }
  std::string place_of(std::size_t row) const override { return reader_->place_of(row); }
  std::optional<std::uint64_t> expected_rows() const override { return reader_->expected_rows(); }
  std::uint64_t bytes_read() const override { return reader_->bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_->bytes_total(); }
  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    return reader_->choose_part(part, parts);
  }
  std::size_t width_columns() const override { return reader_->width_columns(); }
  const CategoryNames* category_texts() const override { return reader_->category_texts(); }
  const CarriedRows* carried() const override { return reader_->carried(); }

 private:
  std::unique_ptr<PointReader> reader_;
  GeographicPlaces places_;
};

/// Returns a reader that converts a reader's rows to the frame of `wanted`. Throws what
/// GeographicPlaces throws; `file` is the name for messages.
std::unique_ptr<PointReader> geographic_reader(std::unique_ptr<PointReader> reader,
                                               const Geographic& wanted, const std::string& file) {
  return std::make_unique<GeographicReader>(std::move(reader), wanted, file);
}

class FilteredReader final : public PointReader {
 public:
  FilteredReader(std::unique_ptr<PointReader> reader, const ColumnSelection& columns)
      : reader_(std::move(reader)),
        condition_(columns.where),
        compared_(condition_.columns().size()),
        behind_(columns.categorised() ? 1 : 0) {
    ReadColumns read = reader_->columns();
    read.where = columns.where;
    set_columns(std::move(read));
  }

  bool read(Samples& chunk, std::size_t most) override {
    left_out_ = 0;
    kept_.clear();
    carried_ = {};
    const bool any = reader_->read(chunk, most);
    if (const CarriedRows* const carried = reader_->carried()) carried_ = *carried;
    if (!any) return false;
    const std::size_t rows = chunk.size(), columns = reader_->width_columns();
    const std::size_t before = columns - behind_ - compared_;
    holds_.resize(rows);
    const std::size_t first = (chunk.weights.empty() ? 3 : 4) + before;
    condition_.evaluate(
        chunk.bandwidth_factors.data() + before, columns, holds_,
        [&](std::size_t row, std::size_t column) { return carried_.rest_of(row, first + column); });
    for (std::size_t row = 0; row < rows; ++row)
      if (holds_[row] != 0) kept_.push_back(row);
    left_out_ = rows - kept_.size();
    keep(chunk, before, columns);
    keep_carried(first);
    return true;
  }

  std::size_t left_out() const override { return left_out_; }
  std::string place_of(std::size_t row) const override {
    return reader_->place_of(row < kept_.size() ? kept_[row] : row);
  }
  /// The number of rows that are kept is unknown.
  std::optional<std::uint64_t> expected_rows() const override { return std::nullopt; }
  std::uint64_t bytes_read() const override { return reader_->bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_->bytes_total(); }
  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    return reader_->choose_part(part, parts);
  }
  std::size_t width_columns() const override { return reader_->width_columns() - compared_; }
  const CategoryNames* category_texts() const override { return reader_->category_texts(); }
  const CarriedRows* carried() const override { return &carried_; }

 private:
  /// Moves the kept rows to the front, without the compared columns.
  void keep(Samples& chunk, std::size_t before, std::size_t columns) const {
    const std::size_t kept_columns = columns - compared_;
    const double* const widths = chunk.bandwidth_factors.data();
    for (std::size_t to = 0; to < kept_.size(); ++to) {
      const std::size_t from = kept_[to];
      std::copy_n(&chunk.xyz[3 * from], 3, &chunk.xyz[3 * to]);
      if (!chunk.weights.empty()) chunk.weights[to] = chunk.weights[from];
      double* const row = chunk.bandwidth_factors.data() + to * kept_columns;
      std::copy_n(widths + from * columns, before, row);
      std::copy_n(widths + (from + 1) * columns - behind_, behind_, row + before);
    }
    chunk.xyz.resize(3 * kept_.size());
    if (!chunk.weights.empty()) chunk.weights.resize(kept_.size());
    chunk.bandwidth_factors.resize(kept_columns * kept_.size());
  }

  /// Keeps the lines and the rests of the kept rows. The columns that are only compared begin at
  /// `first`.
  void keep_carried(std::size_t first) {
    for (std::size_t to = 0; to < kept_.size() && !carried_.lines.empty(); ++to)
      std::swap(carried_.lines[to], carried_.lines[kept_[to]]);
    carried_.lines.resize(std::min(kept_.size(), carried_.lines.size()));
    std::erase_if(carried_.rests, [&](CarriedRows::Rest& rest) {
      const auto found = std::ranges::lower_bound(kept_, rest.row);
      const bool compared = rest.column >= first && rest.column < first + compared_;
      if (compared || found == kept_.end() || *found != rest.row) return true;
      rest.row = static_cast<std::uint64_t>(found - kept_.begin());
      if (rest.column >= first) rest.column -= compared_;
      return false;
    });
  }

  std::unique_ptr<PointReader> reader_;
  RowCondition condition_;
  std::size_t compared_, behind_;  // columns of the condition; columns after them
  std::vector<std::uint8_t> holds_;
  std::vector<std::size_t> kept_;  // rows of the last chunk
  std::size_t left_out_ = 0;
  CarriedRows carried_;
};

/// Returns a reader of those rows for which columns.where holds. The given reader has the columns
/// of the condition after the bandwidths and others, and before the category; this reader omits
/// them.
std::unique_ptr<PointReader> filtered_reader(std::unique_ptr<PointReader> reader,
                                             const ColumnSelection& columns) {
  return std::make_unique<FilteredReader>(std::move(reader), columns);
}

/// Comments may precede what makes a PLY file one of compressed splats.
constexpr std::size_t kPointHeadBytes = 512, kSplatHeadBytes = 4096;

const PointFormat* format_by_signature(std::string_view head) {
  for (const PointFormat& format : point_formats())
    if (format.has_signature != nullptr &&
        format.has_signature(
            head.substr(0, format.open == open_splats ? head.npos : kPointHeadBytes)))
      return &format;
  return nullptr;
}

const PointFormat* format_by_extension(std::string_view path) {
  const std::string low = lower_case(without_packer_extension(path));
  for (const PointFormat& format : point_formats())
    for (std::string_view extension : split_words(format.extensions))
      if (low.ends_with(extension)) return &format;
  return nullptr;
}

/// Returns true for a file whose format holds nothing but splats.
bool holds_only_splats(const std::string& path) {
  const SplatFormat* const format = splat_format_of(path);
  return format != nullptr && format != &splat_formats().back();
}

/// Returns true if there are no control characters but those of layout.
bool looks_like_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\t' || c == '\n' || c == '\r' || c == '\f';
  });
}

void refuse_other(const std::string& name, const OtherFormat* format) {
  if (format == nullptr) return;
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, format->what),
              {{}, std::string(format->suggestion)});
}

const PointFormat& recognised_format(const std::string& name, std::string_view longer_head) {
  const OtherFormat* const other = other_format_by_name(without_packer_extension(name));
  const std::string_view head = longer_head.substr(0, kPointHeadBytes);
  if (const PointFormat* format = format_by_signature(longer_head)) {
    // A ZIP archive may hold arrays or splats.
    if (format->has_parts && holds_only_splats(name)) return *format_by_extension(name);
    if (format->has_parts) refuse_other(name, other);  // spreadsheets are ZIP archives too
    return *format;
  }
  refuse_other(name, other_format_by_head(head));
  refuse_other(name, other);
  const PointFormat& text = point_formats().back();
  const PointFormat* const named = format_by_extension(name);
  if (named == &text && !looks_like_text(head))
    throw Error(ErrorKind::input, fmt::format("{}: its first bytes are not text", name),
                {{}, "save it as plain text in UTF-8"});
  if (named != nullptr) return *named;
  if (looks_like_text(head)) return text;
  std::string names;
  for (const PointFormat& format : point_formats())
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  throw Error(
      ErrorKind::input,
      fmt::format("{}: its format is not one that skde reads points from ({})", name, names),
      {{}, "see 'skde formats' for the formats that it reads"});
}

/// Throws if columns of a kind are wanted that this file format does not provide.
void require_columns(const std::string& name, const std::string& format,
                     const ColumnSelection& columns, const PointReader& reader) {
  const std::size_t categories = columns.categorised() ? 1 : 0;
  const std::size_t conditions =
      columns.where.empty() ? 0 : RowCondition(columns.where).columns().size();
  const std::size_t found = reader.width_columns();
  const auto refuse = [&](const char* what, const char* parameter) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: {} cannot be read from this kind of {}", name, what, format),
                {parameter, "save the samples as PLY, PCD, NPY, HDF5, LAS or CSV"});
  };
  if (found < categories) refuse("categories", "by");
  if (columns.shaped() && found == categories) refuse("widths", "widths");
  if (found < categories + columns.others.size()) refuse("columns of values", "value");
  if (found < categories + columns.others.size() + conditions) refuse("conditions", "where");
}

/// Returns true if every path is a file with one of these extensions and the columns of this form
/// of widths.
bool have_columns(const std::vector<std::string>& paths, const ColumnSelection& columns,
                  const OpenFiles& files, std::string_view form, std::string_view extensions) {
  ColumnSelection wanted = columns;
  wanted.widths = {std::string(form)};
  return !paths.empty() && std::ranges::all_of(paths, [&](const std::string& path) {
    std::error_code ignored;
    if (form == kSplat && holds_only_splats(path))
      return std::filesystem::is_regular_file(path, ignored);
    const std::string low = lower_case(without_packer_extension(path));
    if (std::ranges::none_of(split_words(extensions),
                             [&](std::string_view extension) { return low.ends_with(extension); }))
      return false;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    try {
      open_points(path, wanted, files);
      return true;
    } catch (const Error&) {  // another kind of file, or broken, which is reported when it is read
      return false;
    }
  });
}

}  // namespace

std::unique_ptr<PointReader> open_points(std::unique_ptr<ByteSource> source,
                                         const ColumnSelection& columns) {
  BufferedSource plain(std::move(source));
  plain.read_ahead_until(kPointHeadBytes);  // a reader of a few blocks needs no more at first
  plain.peek(kPointHeadBytes);
  plain.read_ahead_until(std::numeric_limits<std::uint64_t>::max());
  BufferedSource buffered = decompressed(std::move(plain));
  std::string_view ahead = buffered.peek(kPointHeadBytes);
  // A stream of samples may pause before it has so many bytes.
  if (ahead.starts_with("ply") || ahead.starts_with("{")) ahead = buffered.peek(kSplatHeadBytes);
  if (ahead.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: is empty; a cloud needs at least 2 samples", buffered.name()));
  const PointFormat& format =
      recognised_format(buffered.name(), ahead.substr(0, std::min(ahead.size(), kSplatHeadBytes)));
  if (!format.unavailable.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: this build cannot read {}", buffered.name(), format.name),
                {{}, std::string(format.unavailable)});
  if (!columns.part.empty() && !format.has_parts)
    throw Error(ErrorKind::usage,
                fmt::format("{}: a {} file has no part {}", buffered.name(), format.name,
                            excerpt(columns.part)),
                {{}, "remove the colon and the text after it"});
  if (columns.skip > 0 && !format.is_text())
    throw Error(ErrorKind::usage,
                fmt::format("{}: lines can be skipped only in text files, and this is {}",
                            buffered.name(), format.name),
                {"skip", "drop `skip`"});
  const std::string name = buffered.name();
  auto reader = format.open(std::move(buffered), columns);
  require_columns(name, std::string(format.name), columns, *reader);
  if (!columns.where.empty()) reader = filtered_reader(std::move(reader), columns);
  if (columns.geographic.wanted() && !columns.keeps_degrees)
    reader = geographic_reader(std::move(reader), columns.geographic, name);
  return reader;
}

std::unique_ptr<PointReader> open_points(const std::string& path, const ColumnSelection& given,
                                         const OpenFiles& files) {
  ColumnSelection columns = given;
  columns.most_bytes = files.memory_limit;
  const auto exists = [](const std::string& file) {
    std::error_code ignored;  // errors are reported when the file is opened
    return std::filesystem::exists(file, ignored);
  };
  if (path == "-" || exists(path)) return open_points(files.source(path), columns);
  for (std::size_t colon = path.find(':'); colon != path.npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon);
    if (!exists(file)) continue;
    ColumnSelection part = columns;
    part.part = path.substr(colon + 1);
    return open_points(files.source(file), part);
  }
  return open_points(files.source(path), columns);
}

bool are_splats(const std::vector<std::string>& paths, const ColumnSelection& columns,
                const OpenFiles& files) {
  return have_columns(paths, columns, files, kSplat, ".ply meta.json");
}

bool are_mixtures(const std::vector<std::string>& paths, const ColumnSelection& columns,
                  const OpenFiles& files) {
  return have_columns(paths, columns, files, kMixture, ".ply .npy .csv");
}

void assume_gaussians(const std::vector<std::string>& paths, bool with_splats,
                      ColumnSelection& columns, const OpenFiles& files) {
  if (are_mixtures(paths, columns, files))
    columns.widths = {std::string(kMixture)};
  else if (with_splats && are_splats(paths, columns, files))
    columns.widths = {std::string(kSplat)};
  else
    return;
  columns.widths_assumed = true;
}

}  // namespace skde::io
