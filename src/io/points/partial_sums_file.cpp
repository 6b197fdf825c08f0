#include "io/points/partial_sums_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/partial_cloud_json.hpp"
#include "io/text/json_object.hpp"

namespace skde::io {
namespace {

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
