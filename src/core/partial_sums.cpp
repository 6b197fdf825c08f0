#include "core/partial_sums.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr double kMostTerm = 0x1p51, kMostSum = 0x1p62;

template <class Value>
void require_same(const Value& a, const Value& b, const char* field, const std::string& first,
                  const std::string& other) {
  if (a == b) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: its {} differs from that of {}, so their sums cannot be added",
                          other, field, first),
              {{}, "sum all parts with the same parameters and the same version of skde"});
}

/// Returns text such as "part 2/4 of a.csv".
std::string piece_text(const PartialPiece& piece) {
  return fmt::format("part {}/{} of {}", piece.part, piece.parts, fmt::join(piece.inputs, ", "));
}

}  // namespace

double PartialProblem::unit(double total_weight) const {
  return kernel.amplitude() / total_weight * std::ldexp(1.0, -binary_digits);
}

int binary_digits_for(double largest, double total) {
  int term = 0, sum = 0;
  std::frexp(kMostTerm / largest, &term);
  std::frexp(kMostSum / total, &sum);
  return std::min(term, sum) - 1;
}

void require_like(const PartialCloud& cloud, const std::string& first, const PartialCloud& more,
                  const std::string& other) {
  require_same(cloud.version, more.version, "version", first, other);
  require_same(cloud.weighted, more.weighted, "use of weights", first, other);
  require_same(cloud.units, more.units, "unit of coordinates", first, other);
  require_same(cloud.axis_names, more.axis_names, "choice of columns", first, other);
  require_same(cloud.frame, more.frame, "frame of coordinates (geographic)", first, other);
  require_same(cloud.where, more.where, "condition on columns (where)", first, other);
}

void require_like(const PartialHead& head, const std::string& first, const PartialHead& more,
                  const std::string& other) {
  const PartialProblem &a = head.problem, &b = more.problem;
  require_same(head.cloud.version, more.cloud.version, "version", first, other);
  require_same(a.grid.dims, b.grid.dims, "number of cells (dims)", first, other);
  require_same(a.grid.lower, b.grid.lower, "lower corner (bounds)", first, other);
  require_same(a.grid.spacing, b.grid.spacing, "size of cells (spacing)", first, other);
  require_same(a.kernel.function, b.kernel.function, "kernel", first, other);
  require_same(a.kernel.tolerance, b.kernel.tolerance, "tolerance of truncated kernels", first,
               other);
  require_same(a.kernel.H, b.kernel.H, "bandwidth matrix H", first, other);
  require_same(a.precision, b.precision, "precision", first, other);
  require_same(a.boundaries, b.boundaries, "boundary", first, other);
  require_same(a.growth, b.growth, "weight growth at the faces (growth)", first, other);
  require_same(a.binary_digits, b.binary_digits, "scale of the integer sums (binary_digits)", first,
               other);
  require_like(head.cloud, first, more.cloud, other);
}

void merge_clouds(PartialCloud& cloud, const PartialCloud& more) {
  cloud.moments.merge(more.moments);
  cloud.rows.rows += more.rows.rows;
  cloud.rows.non_finite += more.rows.non_finite;
  cloud.rows.zero_weight += more.rows.zero_weight;
  cloud.rows.left_out += more.rows.left_out;
  cloud.rows.beyond += more.rows.beyond;
  cloud.pieces.insert(cloud.pieces.end(), more.pieces.begin(), more.pieces.end());
}

void check_pieces(const PartialCloud& cloud, bool whole) {
  using Inputs = std::pair<std::vector<std::string>, std::uint64_t>;  // and number of parts
  std::map<Inputs, std::set<std::uint64_t>> found;
  for (const PartialPiece& piece : cloud.pieces)
    if (!found[{piece.inputs, piece.parts}].insert(piece.part).second)
      throw Error(ErrorKind::input, fmt::format("{} is given twice", piece_text(piece)),
                  {{}, "name each part once"});
  for (const auto& [inputs, parts] : found) {
    if (!whole || parts.size() == inputs.second) continue;
    std::uint64_t missing = 1;
    while (parts.contains(missing)) ++missing;
    throw Error(ErrorKind::input,
                fmt::format("{} is missing", piece_text({inputs.first, missing, inputs.second})),
                {{}, "sum that part, and name its file too"});
  }
}

void require_digits(const PartialHead& head, const std::string& file) {
  const ExactMoments& moments = head.cloud.moments;
  const double scale = std::ldexp(head.problem.growth, head.problem.binary_digits);
  if (moments.largest_weight() * scale <= kMostTerm && moments.total_weight() * scale <= kMostSum)
    return;
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{}: the integer sums overflow: {} samples of total weight {:g}, largest weight {:g}",
          file, moments.count(), moments.total_weight(), moments.largest_weight()),
      {"moments", "sum all parts with `moments` of the whole cloud"});
}

}  // namespace skde
