#include "io/volumes/text_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "io/text/text_fields.hpp"
#include "io/volumes/refused_volume.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

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

Volume read_text_values(BufferedSource& source, const Grid& grid, ScalarType type) {
  return precision_for(type) == Precision::f32 ? read_as<float>(source, grid)
                                               : read_as<double>(source, grid);
}

}  // namespace skde::io
