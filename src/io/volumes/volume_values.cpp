#include "io/volumes/volume_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "system/host_memory.hpp"

namespace skde::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little endian");

constexpr std::int64_t kLongestSide = 0x7fffffff;
constexpr std::size_t kChunk = std::size_t{1} << 16;  // values converted at once

/// Converts `count` values of a file to values in memory.
void convert(const char* from, std::size_t count, const ColumnConverter converter,
             std::size_t width, double* to) {
  converter(from, width, count, to, 1);
}
void convert(const char* from, std::size_t count, const ColumnConverter converter,
             std::size_t width, float* to) {
  std::vector<double> wide(count);
  converter(from, width, count, wide.data(), 1);
  std::ranges::transform(wide, to, [](double value) { return static_cast<float>(value); });
}

bool is_as_in_memory(ScalarType type, bool big_endian) {
  return !big_endian && (type == ScalarType::f32 || type == ScalarType::f64);
}

void read_exactly(BufferedSource& source, char* to, std::size_t count) {
  if (source.read(to, count) != count)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: ends in the middle of its values; the file is truncated", source.name()));
}

/// Memory grows with what is read if the source does not know its size, for example when unpacking:
/// the header's promise is not trusted.
template <class Real>
Volume read_as(BufferedSource& source, const Grid& grid, ScalarType type, bool big_endian) {
  const std::size_t width = size_of(type);
  const auto cells = static_cast<std::size_t>(grid.cells());
  const ColumnConverter converter = column_converter(type, big_endian);
  const bool as_in_memory = is_as_in_memory(type, big_endian);
  std::vector<char> chunk(as_in_memory ? 0 : kChunk * width);
  std::vector<Real> values;
  if (source.size()) values.reserve(cells);
  for (std::size_t first = 0; first < cells; first += kChunk) {
    const std::size_t count = std::min(kChunk, cells - first);
    if (!as_in_memory) read_exactly(source, chunk.data(), count * width);
    values.resize(first + count);
    if (as_in_memory)
      read_exactly(source, reinterpret_cast<char*>(values.data() + first), count * width);
    else
      convert(chunk.data(), count, converter, width, values.data() + first);
  }
  return {grid, std::move(values)};
}

constexpr std::string_view kBlanks = " \t\r\n,", kEnds = " \t\r\n,<";
constexpr std::size_t kAhead = std::size_t{1} << 16;  // far longer than a number

/// Reads the words of a source.
class WordReader {
 public:
  explicit WordReader(BufferedSource& source) : source_(source) {}

  /// Returns the next word, valid until the next call; empty at the end.
  std::string_view next() {
    while (true) {
      const std::size_t begin = std::min(ahead_.find_first_not_of(kBlanks), ahead_.size());
      pass(begin);
      const std::size_t end = std::min(ahead_.find_first_of(kEnds), ahead_.size());
      if (end < ahead_.size() || last_) {
        const std::string_view word = ahead_.substr(0, end);
        pass(end);
        return word;
      }
      read_on();
    }
  }

 private:
  void pass(std::size_t count) {
    ahead_.remove_prefix(count);
    passed_ += count;
  }

  void read_on() {
    source_.skip(passed_);
    passed_ = 0;
    const std::size_t open = ahead_.size();
    ahead_ = source_.peek(kAhead);
    last_ = ahead_.size() < kAhead;
    if (open >= kAhead)
      refuse_volume(source_.name(), "has a number of more than 64 KiB; the file is broken");
  }

  BufferedSource& source_;
  std::string_view ahead_;
  std::size_t passed_ = 0;  // bytes before ahead_ not yet skipped in the source
  bool last_ = false;
};

template <class Real>
Volume read_as(BufferedSource& source, const Grid& grid) {
  const auto cells = static_cast<std::size_t>(grid.cells());
  std::vector<Real> values;
  WordReader words(source);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    double value = 0;
    if (!parse_number(word, value))
      refuse_volume(source.name(), fmt::format("{} is not a number", excerpt(word)));
    if (values.size() == cells)
      refuse_volume(source.name(), fmt::format("has more numbers than its {} cells", cells),
                    "check its sizes");
    values.push_back(static_cast<Real>(value));
  }
  if (values.size() != cells)
    refuse_volume(
        source.name(),
        fmt::format("has {} numbers for its {} cells; the file is truncated or its header is wrong",
                    values.size(), cells));
  return {grid, std::move(values)};
}

}  // namespace

Grid grid_of_file(const std::string& name, Vec3 first_centre, Vec3 spacing,
                  const std::array<std::int64_t, 3>& dims) {
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorKind::input, fmt::format("{}: {}; the file is broken", name, what));
  };
  std::int64_t cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int a = static_cast<int>(axis);
    if (dims[axis] < 1 || dims[axis] > kLongestSide)
      fail(fmt::format("it has {} cells along an axis", dims[axis]));
    if (__builtin_mul_overflow(cells, dims[axis], &cells)) fail("its number of cells is too large");
    if (!std::isfinite(first_centre[a])) fail("its origin is not a finite number");
    if (!(spacing[a] > 0) || !std::isfinite(spacing[a])) fail("its spacing is not above 0");
  }
  return {first_centre - 0.5 * spacing, spacing, dims};
}

void require_volume_fits(const std::string& name, const Grid& grid, Precision precision) {
  const auto there = static_cast<double>(available_memory());
  const double needed =
      static_cast<double>(grid.cells()) * static_cast<double>(value_bytes(precision));
  if (needed > there)
    throw Error(ErrorKind::resources,
                fmt::format("{}: a volume of {} x {} x {} cells needs {} of memory, but only {} "
                            "are available; free memory, or use a smaller volume",
                            name, grid.dims[0], grid.dims[1], grid.dims[2], format_bytes(needed),
                            format_bytes(there)));
}

Precision precision_for(ScalarType type) {
  switch (type) {
    case ScalarType::i8:
    case ScalarType::u8:
    case ScalarType::i16:
    case ScalarType::u16:
    case ScalarType::f16:
    case ScalarType::f32:
      return Precision::f32;
    default:
      return Precision::f64;
  }
}

std::string_view bytes_of(ValueSpan values) {
  return std::visit(
      [](const auto& span) {
        return std::string_view(reinterpret_cast<const char*>(span.data()), span.size_bytes());
      },
      values);
}

Volume read_values(BufferedSource& source, const Grid& grid, ScalarType type, bool big_endian) {
  check_promise(source, static_cast<std::uint64_t>(grid.cells()), size_of(type), "values");
  require_volume_fits(source.name(), grid, precision_for(type));
  return precision_for(type) == Precision::f32 ? read_as<float>(source, grid, type, big_endian)
                                               : read_as<double>(source, grid, type, big_endian);
}

void require_end(BufferedSource& source) {
  const std::string_view rest = source.peek(1);
  if (!rest.empty())
    refuse_volume(source.name(),
                  source.size() ? fmt::format("has {} bytes after its values",
                                              *source.size() - source.position())
                                : "has bytes after its values",
                  "check its sizes and its type");
}

Volume read_text_values(BufferedSource& source, const Grid& grid, ScalarType type) {
  return precision_for(type) == Precision::f32 ? read_as<float>(source, grid)
                                               : read_as<double>(source, grid);
}

}  // namespace skde::io
