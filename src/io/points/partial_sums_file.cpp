#include "io/points/partial_sums_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/text_file.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEntryNames[] = {"xx", "xy", "xz", "yy", "yz", "zz"};

ExactSum sum_of(const std::vector<double>& parts) {
  ExactSum sum;
  for (const double part : parts) sum.add(part);
  return sum;
}

void read_corner(JsonObject& object, const char* key, Vec3& corner) {
  object.require({key});
  const std::vector<double> numbers = object.numbers(*object.find(key), key, 3);
  corner = {numbers[0], numbers[1], numbers[2]};
}

Json sums_json(const ExactMoments::Sums& sums) {
  Json json = {{"weight", sums.weight.parts()}, {"weight_squared", sums.weight_squared.parts()}};
  for (std::size_t a = 0; a < 3; ++a) json[std::string(1, kAxisNames[a])] = sums.first[a].parts();
  for (std::size_t entry = 0; entry < 6; ++entry)
    json[kEntryNames[entry]] = sums.second[entry].parts();
  return json;
}

void read_moments(JsonObject& object, ExactMoments& moments) {
  ExactMoments::Sums sums;
  object.require({"samples", "largest_weight", "sums"});
  object.read_whole("samples", sums.count, 0);
  object.read("largest_weight", sums.largest_weight, 0);
  if (sums.count > 0) {
    read_corner(object, "lower", sums.bounds.lower);
    read_corner(object, "upper", sums.bounds.upper);
    for (int axis = 0; axis < 3; ++axis)
      if (sums.bounds.lower[axis] > sums.bounds.upper[axis])
        object.fail("upper", "is below 'lower'");
  }
  JsonObject parts = object.object(*object.find("sums"), "sums");
  read_sum(parts, "weight", sums.weight);
  read_sum(parts, "weight_squared", sums.weight_squared);
  for (std::size_t a = 0; a < 3; ++a) read_sum(parts, std::string(1, kAxisNames[a]), sums.first[a]);
  for (std::size_t entry = 0; entry < 6; ++entry)
    read_sum(parts, kEntryNames[entry], sums.second[entry]);
  parts.finish();
  const double weight = sums.weight.value();
  if ((sums.count > 0) != (weight > 0) || sums.largest_weight > weight)
    object.fail("sums", "does not match the counts of samples and weights");
  moments = ExactMoments(sums);
}

void read_pieces(JsonObject& object, std::vector<PartialPiece>& pieces) {
  object.objects("pieces", [&](JsonObject one) {
    PartialPiece piece;
    one.require({"inputs", "part", "parts"});
    one.read("inputs", piece.inputs);
    one.read_whole("parts", piece.parts, 1, kMostParts);
    one.read_whole("part", piece.part, 1, static_cast<std::int64_t>(piece.parts));
    one.finish();
    pieces.push_back(std::move(piece));
  });
}

using Json = nlohmann::ordered_json;

/// Version 1 cut Gaussians elsewhere; version 2 did not record what lies outside the box.
constexpr std::string_view kPartialMagic = "skde partial sums 3\n";
constexpr std::string_view kAnyMagic = kPartialMagic.substr(0, kPartialMagic.size() - 2);
constexpr std::uint64_t kLongestHead = std::uint64_t{1} << 26;
constexpr std::int64_t kMostSum = std::int64_t{1} << 62;
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 16;  // sums read or written at a time

[[noreturn]] void refuse_partial(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", file, why), {{}, "sum that part again"});
}

/// Converts to or from the byte order of the file.
template <class Whole>
Whole in_order(Whole value) {
  if constexpr (std::endian::native == std::endian::big)
    return static_cast<Whole>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  return value;
}

/// Check sum that detects sums changed since, for example by a bad disk.
std::int64_t check_sum(std::span<const std::int64_t> sums, std::int64_t before = 0) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd, so that no bit is lost
  auto sum = static_cast<std::uint64_t>(before);
  for (const std::int64_t value : sums) sum = sum * kFactor + static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(sum);
}

Json numbers(Vec3 v) { return {v.x, v.y, v.z}; }

Json head_json(const PartialHead& head, std::int64_t check) {
  const PartialProblem& problem = head.problem;
  const Symmetric3& H = problem.kernel.H;
  Json json = {{"dims", problem.grid.dims},
               {"lower_corner", numbers(problem.grid.lower)},
               {"spacing", numbers(problem.grid.spacing)},
               {"kernel", problem.kernel.function->name},
               {"H", {H.xx, H.xy, H.xz, H.yy, H.yz, H.zz}},
               {"h", head.h},
               {"bandwidth_source", head.bandwidth_source},
               {"precision", word_of(kPrecisions, problem.precision)},
               {"binary_digits", problem.binary_digits},
               {"outside", head.outside.parts()},
               {"check_sum", check}};
  if (problem.kernel.tolerance > 0) json["tolerance"] = problem.kernel.tolerance;
  if (has_boundary(problem.boundaries)) {
    json["boundary"] = boundaries_text(problem.boundaries);
    json["growth"] = problem.growth;
  }
  put(json["cloud"], head.cloud);
  return json;
}

void read_grid(JsonObject& object, Grid& grid) {
  const std::vector<double> lower = object.numbers(*object.find("lower_corner"), "lower_corner", 3);
  const std::vector<double> spacing = object.numbers(*object.find("spacing"), "spacing", 3);
  const Json& dims = *object.find("dims");
  if (!dims.is_array() || dims.size() != 3) object.fail("dims", "must be three numbers of cells");
  for (std::size_t a = 0; a < 3; ++a) {
    grid.lower[static_cast<int>(a)] = lower[a];
    grid.spacing[static_cast<int>(a)] = spacing[a];
    grid.dims[a] = object.whole(dims[a], "dims", 1, 0x7fffffff);
    if (!(spacing[a] > 0)) object.fail("spacing", "must be above 0");
  }
  require_countable(grid);
}

void read_boundary(JsonObject& object, PartialProblem& problem) {
  std::string boundary;
  if (!object.find("boundary")) return;
  object.require({"growth"});
  object.read("boundary", boundary);
  object.read("growth", problem.growth, 1);
  try {
    problem.boundaries = parse_boundaries(boundary);
  } catch (const Error& error) {
    object.fail("boundary", error.problem());
  }
}

PartialHead head_of(std::string_view text, const std::string& file, std::int64_t& check) {
  const Json json = parse_json(text, file);
  JsonObject object(json, file);
  object.require({"dims", "lower_corner", "spacing", "kernel", "H", "h", "bandwidth_source",
                  "precision", "binary_digits", "outside", "check_sum", "cloud"});
  PartialHead head;
  read_grid(object, head.problem.grid);
  std::string kernel;
  object.read("kernel", kernel);
  try {
    head.problem.kernel.function = KernelFunction::named(kernel);
  } catch (const Error& error) {
    object.fail("kernel", error.problem());
  }
  const std::vector<double> H = object.numbers(*object.find("H"), "H", 6);
  head.problem.kernel.H = {H[0], H[1], H[2], H[3], H[4], H[5]};
  static_cast<void>(make_ellipsoid(head.problem.kernel.H, head.problem.grid));  // throws
  if (object.find("tolerance")) object.read("tolerance", head.problem.kernel.tolerance, 0);
  read_boundary(object, head.problem);
  object.read("h", head.h, 0);
  object.read("bandwidth_source", head.bandwidth_source);
  object.read_word("precision", head.problem.precision, kPrecisions);
  object.read_whole("binary_digits", head.problem.binary_digits, -2000, 2000);
  read_sum(object, "outside", head.outside);
  object.read_whole("check_sum", check, std::numeric_limits<std::int64_t>::min());
  JsonObject cloud = object.object(*object.find("cloud"), "cloud");
  read(cloud, head.cloud);
  cloud.finish();
  object.finish();
  require_digits(head, file);
  return head;
}

/// Reads the head, and checks the length of the file against it if that is known.
PartialHead read_head(BufferedSource& source, std::int64_t& check) {
  const std::string& file = source.name();
  std::array<char, kPartialMagic.size() + sizeof(std::uint64_t)> start{};
  const std::size_t got = source.read(start.data(), start.size());
  const std::string_view magic(start.data(), std::min(got, kPartialMagic.size()));
  if (magic.starts_with(kAnyMagic) && magic.size() == kPartialMagic.size() &&
      magic != kPartialMagic)
    refuse_partial(file, "holds partial sums of another version of skde");
  if (magic != kPartialMagic)
    throw Error(ErrorKind::input, fmt::format("{}: is not a file of partial sums", file),
                {{}, "name files that 'skde density -o PART.skp' wrote"});
  std::uint64_t length = 0;
  std::memcpy(&length, start.data() + kPartialMagic.size(), sizeof length);
  length = in_order(length);
  if (got < start.size()) refuse_partial(file, "is truncated inside its header");
  if (length > kLongestHead)
    refuse_partial(file, fmt::format("has a header of {} bytes, which is invalid", length));
  const std::uint64_t ahead = source.size().value_or(kLongestHead);
  std::string text(static_cast<std::size_t>(std::min(length, ahead)), '\0');
  if (source.read(text.data(), text.size()) < length)
    refuse_partial(file, "is truncated inside its header");
  PartialHead head = head_of(text, file, check);
  const auto bytes = static_cast<std::uint64_t>(head.problem.grid.cells()) * sizeof(std::int64_t);
  const std::uint64_t whole = start.size() + length + bytes;
  if (const auto size = source.size(); size && *size != whole)
    refuse_partial(file, fmt::format("holds {0} bytes, but its {2} cells need {1}", *size, whole,
                                     head.problem.grid.cells()));
  return head;
}

}  // namespace

void read_sum(JsonObject& object, const std::string& key, ExactSum& sum) {
  object.require({key});
  std::vector<double> parts;
  object.read(key, parts);
  sum = sum_of(parts);
  if (!std::isfinite(sum.value())) object.fail(key, "is beyond the range of a double");
}

void put(Json& json, const PartialCloud& cloud) {
  const ExactMoments::Sums& sums = cloud.moments.sums();
  json["version"] = cloud.version;
  json["pieces"] = Json::array();
  for (const PartialPiece& piece : cloud.pieces)
    json["pieces"].push_back(
        {{"inputs", piece.inputs}, {"part", piece.part}, {"parts", piece.parts}});
  json["rows"] = cloud.rows.rows;
  json["dropped_non_finite"] = cloud.rows.non_finite;
  json["dropped_zero_weight"] = cloud.rows.zero_weight;
  if (!cloud.frame.empty()) json["frame"] = cloud.frame;
  if (!cloud.where.empty()) {
    json["left_out"] = cloud.rows.left_out;
    json["where"] = cloud.where;
  }
  if (cloud.rows.beyond > 0) json["beyond_faces"] = cloud.rows.beyond;
  json["units"] = cloud.units;
  json["axis_names"] = cloud.axis_names;
  json["weighted"] = cloud.weighted;
  json["samples"] = sums.count;
  json["largest_weight"] = sums.largest_weight;
  if (sums.count > 0) {
    const Box& box = sums.bounds;
    json["lower"] = {box.lower.x, box.lower.y, box.lower.z};
    json["upper"] = {box.upper.x, box.upper.y, box.upper.z};
  }
  json["sums"] = sums_json(sums);
}

void read(JsonObject& object, PartialCloud& cloud) {
  object.require({"version", "pieces", "rows", "weighted", "units", "axis_names"});
  object.read("version", cloud.version);
  read_pieces(object, cloud.pieces);
  object.read_whole("rows", cloud.rows.rows, 0);
  object.read_whole("dropped_non_finite", cloud.rows.non_finite, 0);
  object.read_whole("dropped_zero_weight", cloud.rows.zero_weight, 0);
  object.read("frame", cloud.frame);
  if (object.find("where")) {
    object.read_whole("left_out", cloud.rows.left_out, 0);
    object.read("where", cloud.where);
  }
  if (object.find("beyond_faces")) object.read_whole("beyond_faces", cloud.rows.beyond, 0);
  object.read("units", cloud.units);
  std::vector<std::string> names;
  object.read("axis_names", names);
  if (names.size() != 3) object.fail("axis_names", "must be an array of three names");
  for (std::size_t a = 0; a < 3; ++a) cloud.axis_names[a] = names[a];
  object.read("weighted", cloud.weighted);
  read_moments(object, cloud.moments);
}

Json moments_document(const PartialCloud& cloud) {
  Json json = {{"schema_version", 1}, {"kind", "cloud_moments"}};
  put(json, cloud);
  if (cloud.moments.count() == 0) return json;
  const Moments moments = cloud.moments.moments();
  const Vec3 mean = moments.mean();
  const Symmetric3 s = moments.covariance();
  json["total_weight"] = moments.total_weight();
  json["effective_samples"] = moments.effective_samples();
  json["mean"] = {mean.x, mean.y, mean.z};
  json["covariance"] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  return json;
}

PartialCloud read_moments_file(const std::string& path, const OpenFiles& files) {
  const Json json = parse_json(read_text(path, files), path);
  JsonObject object(json, path);
  std::string kind;
  std::int64_t version = 0;
  object.require({"kind", "schema_version"});
  object.read("kind", kind);
  if (kind != "cloud_moments") object.fail("kind", "is not an object of moments");
  object.read_whole("schema_version", version, 1, 1);
  PartialCloud cloud;
  read(object, cloud);
  for (const char* told : {"total_weight", "effective_samples", "mean", "covariance"})
    static_cast<void>(object.find(told));  // derived from the sums
  object.finish();
  return cloud;
}

void write_partial_sums(const std::string& path, const PartialSums& partial) {
  const std::string head = json_text(head_json(partial.head, check_sum(partial.sums)));
  const std::uint64_t length = in_order<std::uint64_t>(head.size());
  require_room(path, kPartialMagic.size() + sizeof length + head.size() +
                         partial.sums.size() * sizeof(std::int64_t));
  OutputFile file(path);
  file.write(kPartialMagic);
  file.write(&length, sizeof length);
  file.write(head);
  std::vector<std::int64_t> block;
  for (std::size_t begin = 0; begin < partial.sums.size(); begin += kSumsAtOnce) {
    const std::size_t count = std::min(kSumsAtOnce, partial.sums.size() - begin);
    block.assign(partial.sums.begin() + static_cast<std::ptrdiff_t>(begin),
                 partial.sums.begin() + static_cast<std::ptrdiff_t>(begin + count));
    for (std::int64_t& value : block) value = in_order(value);
    file.write(block.data(), count * sizeof(std::int64_t));
  }
  file.commit();
}

PartialHead read_partial_head(std::unique_ptr<ByteSource> bytes) {
  BufferedSource source(std::move(bytes));
  std::int64_t check = 0;
  return read_head(source, check);
}

PartialHead add_partial_sums(std::unique_ptr<ByteSource> bytes, std::vector<std::int64_t>& sums) {
  BufferedSource source(std::move(bytes));
  std::int64_t check = 0, found = 0;
  PartialHead head = read_head(source, check);
  const auto cells = static_cast<std::size_t>(head.problem.grid.cells());
  if (sums.empty() && source.size()) sums.resize(cells);
  const bool grows = sums.empty();  // as data arrive, not as the head promises
  std::vector<std::int64_t> block(std::min(kSumsAtOnce, cells));
  for (std::size_t begin = 0; begin < cells; begin += block.size()) {
    block.resize(std::min(kSumsAtOnce, cells - begin));
    const std::size_t wanted = block.size() * sizeof(std::int64_t);
    if (source.read(reinterpret_cast<char*>(block.data()), wanted) < wanted)
      refuse_partial(source.name(), fmt::format("is truncated at byte {}", source.position()));
    for (std::int64_t& value : block) value = in_order(value);
    found = check_sum(block, found);
    if (std::ranges::any_of(block, [](std::int64_t v) { return v < 0 || v > kMostSum; }))
      refuse_partial(source.name(), "holds numbers that cannot be sums of its samples");
    if (grows) sums.resize(begin + block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::uint64_t sum =
          static_cast<std::uint64_t>(sums[begin + i]) + static_cast<std::uint64_t>(block[i]);
      sums[begin + i] = static_cast<std::int64_t>(sum);
    }
  }
  if (found != check) refuse_partial(source.name(), "its sums changed after they were written");
  if (!source.peek(1).empty()) refuse_partial(source.name(), "holds extra bytes after its sums");
  return head;
}

}  // namespace skde::io
