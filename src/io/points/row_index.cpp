#include "io/points/row_index.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/text/json_geometry.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_file.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kIndexKey = "row_index";

bool is_sample(const double* row) {
  return std::isfinite(row[0]) && std::isfinite(row[1]) && std::isfinite(row[2]);
}

void widen(Box& box, const Box& other, bool first) {
  if (first) box = other;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], other.lower[axis]);
    box.upper[axis] = std::max(box.upper[axis], other.upper[axis]);
  }
}

/// Calls use(samples) for each run of consecutive rows that are samples.
template <class Use>
void for_each_run(std::span<const double> xyz, const Use& use) {
  for (std::size_t begin = 0; begin < xyz.size();) {
    std::size_t end = begin;
    while (end < xyz.size() && is_sample(xyz.data() + end)) end += 3;
    if (end > begin) use(xyz.subspan(begin, end - begin));
    begin = end + 3;
  }
}

Json moments_json(const Moments& moments) {
  const Moments::Sums sums = moments.about_mean();
  Json json{{"bounds", to_json(sums.bounds)},
            {"mean", to_json(sums.shift)},
            {"central", to_json(sums.second)}};
  if (const auto robust = moments.robust_covariance()) json["robust"] = to_json(*robust);
  if (moments.some()) json["some"] = moments.some()->xyz;
  return json;
}

Symmetric3 symmetric_from(JsonObject& object, const char* key) {
  object.require({key});
  const std::vector<double> v = object.numbers(*object.find(key), key, 6);
  const Symmetric3 matrix{v[0], v[1], v[2], v[3], v[4], v[5]};
  if (matrix.xx < 0 || matrix.yy < 0 || matrix.zz < 0)
    object.fail(key, "must be a covariance: its diagonal must not be negative");
  return matrix;
}

/// Unlike a grid's, the boxes of samples may be flat.
Box flat_box_from(JsonObject& object, const char* key) {
  object.require({key});
  const Json& value = *object.find(key);
  if (!value.is_array() || value.size() != 2) object.fail(key, "must be two corners");
  const Box box{vector_from(object, value[0], key), vector_from(object, value[1], key)};
  if (!box.holds(box.upper) || !box.holds(box.lower)) object.fail(key, "has corners in disorder");
  return box;
}

Moments moments_from(JsonObject object, std::uint64_t samples) {
  Moments::Sums sums;
  sums.count = samples;
  sums.weight = sums.weight_squared = static_cast<double>(samples);
  sums.bounds = flat_box_from(object, "bounds");
  object.require({"mean"});
  sums.shift = vector_from(object, *object.find("mean"), "mean");
  sums.second = symmetric_from(object, "central");
  Moments moments(sums);
  if (object.has("robust")) moments.keep_robust_covariance(symmetric_from(object, "robust"));
  if (object.has("some")) {
    const Json& some = *object.find("some");
    const std::size_t count = 3 * std::min<std::uint64_t>(samples, RandomSamples::kMost);
    moments.keep_some({object.numbers(some, "some", count)});
  }
  object.finish();
  return moments;
}

std::vector<std::uint64_t> wholes_from(JsonObject& object, const char* key, std::size_t count,
                                       std::int64_t most) {
  object.require({key});
  const Json& list = *object.find(key);
  if (!list.is_array() || list.size() != count)
    object.fail(key, fmt::format("must be an array of {} integers", count));
  std::vector<std::uint64_t> values;
  for (const Json& value : list)
    values.push_back(static_cast<std::uint64_t>(object.whole(value, key, 0, most)));
  return values;
}

std::vector<double> corners_from(JsonObject& object, const char* key, std::size_t blocks) {
  object.require({key});
  return object.numbers(*object.find(key), key, 3 * blocks);
}

void read_blocks(JsonObject& object, RowIndex& index) {
  const auto of_block = static_cast<std::int64_t>(index.rows_a_block);
  const auto count = static_cast<std::size_t>(index.rows / index.rows_a_block +
                                              (index.rows % index.rows_a_block > 0 ? 1 : 0));
  const auto samples = wholes_from(object, "samples", count, of_block);
  const auto hashes = wholes_from(object, "hashes", count, (std::int64_t{1} << 53) - 1);
  const auto lower = corners_from(object, "lower", count),
             upper = corners_from(object, "upper", count);
  for (std::size_t b = 0; b < count; ++b) {
    RowBlock block{std::min(index.rows_a_block, index.rows - b * index.rows_a_block),
                   samples[b],
                   {{lower[3 * b], lower[3 * b + 1], lower[3 * b + 2]},
                    {upper[3 * b], upper[3 * b + 1], upper[3 * b + 2]}},
                   hashes[b]};
    if (block.samples > block.rows) object.fail("samples", "exceeds the rows of a block");
    if (!block.box.holds(block.box.upper) || !block.box.holds(block.box.lower))
      object.fail("upper", "is below 'lower'");
    index.blocks.push_back(block);
  }
}

/// Reads the pieces of the blocks, if there are any.
void read_pieces(JsonObject& object, RowIndex& index) {
  if (!object.has("pieces")) return;
  object.require({"rows_a_piece"});
  object.read_whole("rows_a_piece", index.rows_a_piece, 1,
                    static_cast<std::int64_t>(index.rows_a_block) - 1);
  std::vector<std::string> texts;
  object.read("pieces", texts);
  if (texts.size() != index.blocks.size())
    object.fail("pieces", fmt::format("must be an array of {} texts", index.blocks.size()));
  for (std::size_t b = 0; b < texts.size(); ++b) {
    RowBlock& block = index.blocks[b];
    const bool cut = block.samples == block.rows;
    const std::uint64_t count =
        cut ? (block.rows + index.rows_a_piece - 1) / index.rows_a_piece : 0;
    auto pieces = pieces_from(texts[b], count);
    if (!pieces)
      object.fail("pieces", fmt::format("must hold 20 hexadecimal digits for each of {} pieces of "
                                        "block {}",
                                        count, b + 1));
    block.pieces = *std::move(pieces);
  }
}

/// Requires that the blocks add up to the whole.
void check_whole(const JsonObject& object, const RowIndex& index) {
  Box all;
  std::uint64_t samples = 0;
  for (const RowBlock& block : index.blocks) {
    if (block.samples == 0) continue;
    widen(all, block.box, samples == 0);
    samples += block.samples;
  }
  if (all != index.moments.bounds()) object.fail("moments.bounds", "are not those of the blocks");
  if (!all.holds(index.inner_bounds.lower) || !all.holds(index.inner_bounds.upper))
    object.fail("inner_bounds", "exceed the bounds");
}

RowIndex index_from(JsonObject object) {
  constexpr std::int64_t kMostRowsABlock = std::int64_t{1} << 31;
  constexpr std::int64_t kMostRows = std::int64_t{1} << 53;
  std::int64_t version = 0;
  object.require({"version", "rows_a_block", "rows", "file_bytes", "moments"});
  object.read_whole("version", version, 1, 1);
  RowIndex index;
  object.read_whole("rows_a_block", index.rows_a_block, 1, kMostRowsABlock);
  object.read_whole("rows", index.rows, 1, kMostRows);
  object.read_whole("file_bytes", index.file_bytes, 1);
  std::ranges::copy(wholes_from(object, "columns", 3, std::int64_t{1} << 31),
                    index.columns.begin());
  read_blocks(object, index);
  read_pieces(object, index);
  std::uint64_t samples = 0;
  for (const RowBlock& block : index.blocks) samples += block.samples;
  if (samples == 0) object.fail("samples", "must count at least one sample");
  index.moments = moments_from(object.object(*object.find("moments"), "moments"), samples);
  index.inner_bounds = flat_box_from(object, "inner_bounds");
  object.finish();
  check_whole(object, index);
  return index;
}

Json index_json(const RowIndex& index) {
  Json samples = Json::array(), hashes = Json::array(), lower = Json::array(),
       upper = Json::array();
  for (const RowBlock& block : index.blocks) {
    samples.push_back(block.samples);
    hashes.push_back(block.hash);
    for (int axis = 0; axis < 3; ++axis) {
      lower.push_back(block.box.lower[axis]);
      upper.push_back(block.box.upper[axis]);
    }
  }
  Json json{{"version", 1},
            {"rows_a_block", index.rows_a_block},
            {"rows", index.rows},
            {"file_bytes", index.file_bytes},
            {"columns", index.columns},
            {"moments", moments_json(index.moments)},
            {"inner_bounds", to_json(index.inner_bounds)},
            {"samples", std::move(samples)},
            {"hashes", std::move(hashes)},
            {"lower", std::move(lower)},
            {"upper", std::move(upper)}};
  if (index.rows_a_piece == 0) return json;
  json["rows_a_piece"] = index.rows_a_piece;
  Json& pieces = json["pieces"] = Json::array();
  for (const RowBlock& block : index.blocks) pieces.push_back(pieces_text(block.pieces));
  return json;
}

/// Returns the JSON object beside a file, empty if there is none. Throws Error(input) if the file
/// there is not one.
Json description_of(const std::string& path) {
  const std::string beside = description_path(path);
  std::error_code ignored;
  Json json = Json::object();
  if (std::filesystem::exists(beside, ignored)) json = read_json(beside);
  static_cast<void>(JsonObject(json, beside));  // throws if it is not an object
  return json;
}

}  // namespace

std::uint64_t rows_a_piece_of(std::uint64_t rows) {
  constexpr std::uint64_t kMostPieces = std::uint64_t{1} << 18;
  std::uint64_t of_piece = RowIndex::kRowsAPiece;
  while (of_piece < RowIndex::kRowsABlock && rows / of_piece > kMostPieces) of_piece *= 2;
  return of_piece;
}

RowIndexBuilder::RowIndexBuilder(std::uint64_t rows_a_block, std::uint64_t rows_a_piece) {
  index_.rows_a_block = rows_a_block;
  index_.rows_a_piece = rows_a_piece < rows_a_block ? rows_a_piece : 0;
}

RowBlock RowIndexBuilder::block_of(std::span<const double> xyz) const {
  RowBlock block;
  block.rows = xyz.size() / 3;
  RowHash hash;
  for_each_run(xyz, [&](std::span<const double> run) {
    hash.add(run);
    for (std::size_t i = 0; i < run.size(); i += 3) {
      const Vec3 p{run[i], run[i + 1], run[i + 2]};
      widen(block.box, {p, p}, block.samples++ == 0);
    }
  });
  block.hash = hash.value();
  if (index_.rows_a_piece > 0 && block.samples == block.rows)
    block.pieces = pieces_of(xyz, index_.rows_a_piece, block.box);
  return block;
}

void RowIndexBuilder::add_samples(std::span<const double> xyz) {
  thinned_.add({xyz});
  constexpr std::size_t kBlock = 3 * Moments::kBlock;
  if (!samples_.empty()) {
    const auto more = xyz.first(std::min(kBlock - samples_.size(), xyz.size()));
    samples_.resize(samples_.size() + more.size());
    std::ranges::copy(more, samples_.end() - static_cast<std::ptrdiff_t>(more.size()));
    xyz = xyz.subspan(more.size());
    if (samples_.size() < kBlock) return;
    index_.moments.add({samples_});
    samples_.clear();
  }
  const auto whole = xyz.first(xyz.size() / kBlock * kBlock), rest = xyz.subspan(whole.size());
  index_.moments.add({whole});
  samples_.assign(rest.begin(), rest.end());
}

void RowIndexBuilder::add(const RowBlock& block, std::span<const double> xyz) {
  for_each_run(xyz, [&](std::span<const double> run) { add_samples(run); });
  index_.rows += block.rows;
  index_.blocks.push_back(block);
}

void RowIndexBuilder::add(std::span<const double> xyz) {
  const auto whole = static_cast<std::size_t>(3 * index_.rows_a_block);
  while (!xyz.empty()) {
    if (rows_.empty() && xyz.size() >= whole) {
      add(block_of(xyz.first(whole)), xyz.first(whole));
      xyz = xyz.subspan(whole);
      continue;
    }
    const auto more = xyz.first(std::min(whole - rows_.size(), xyz.size()));
    rows_.insert(rows_.end(), more.begin(), more.end());
    xyz = xyz.subspan(more.size());
    if (rows_.size() < whole) return;
    add(block_of(rows_), rows_);
    rows_.clear();
  }
}

RowIndex RowIndexBuilder::finish(std::uint64_t file_bytes,
                                 const std::array<std::uint64_t, 3>& columns) {
  if (!rows_.empty()) add(block_of(rows_), rows_);
  index_.moments.add({samples_});
  index_.inner_bounds = thinned_.without_outliers(index_.moments.bounds());
  if (index_.moments.count() > 0) thinned_.keep_in(index_.moments);
  index_.file_bytes = file_bytes;
  index_.columns = columns;
  RowIndex index = std::move(index_);
  *this = RowIndexBuilder(index.rows_a_block, index.rows_a_piece);
  return index;
}

CloudCounts counts_of(const RowIndex& index) {
  return {.rows = index.rows, .non_finite = index.rows - index.moments.count()};
}

std::string description_path(const std::string& path) { return path + ".json"; }

void require_description(const std::string& path) { static_cast<void>(description_of(path)); }

void write_row_index(const std::string& path, const RowIndex& index) {
  Json json = description_of(path);
  json[kIndexKey] = index_json(index);
  write_text(description_path(path), json_line(json) + "\n");
}

std::optional<RowIndex> read_row_index(const std::string& path, const OpenFiles& files) {
  const std::string beside = description_path(path);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) ||
      !std::filesystem::is_regular_file(beside, ignored))
    return std::nullopt;
  return parse_row_index(read_text(beside, files), beside);
}

std::optional<RowIndex> parse_row_index(const std::string& text, const std::string& name) {
  const Json json = parse_json(text, name);
  JsonObject object(json, name);
  const Json* const index = object.find(kIndexKey);
  if (index == nullptr) return std::nullopt;
  return index_from(object.object(*index, kIndexKey));
}

}  // namespace skde::io
