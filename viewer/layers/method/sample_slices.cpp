#include "viewer/layers/method/sample_slices.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/text/terminal_text.hpp"
#include "engines/cpu/placed_sample.hpp"

namespace skde::view {
namespace {

IndexRange hull(IndexRange a, IndexRange b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Adds slice z and its rows.
void add_slice(SampleSlices& to, const PlacedSample<double>& sample, std::int32_t z) {
  const Ellipsoid<double>& e = to.ellipsoid;
  const double dz = static_cast<double>(z) - sample.cell[2] - sample.offset[2];
  SampleSlice slice;
  slice.z = z;
  slice.first_row = to.rows.size();
  slice.range = crop(e, sample.offset[0], sample.offset[1], dz, to.dims[0], to.dims[1],
                     sample.cell[0], sample.cell[1]);
  std::int64_t met = 0;  // rows that the kernel meets
  for (std::int32_t y = slice.range.y.begin; y < slice.range.y.end; ++y) {
    const double dy = static_cast<double>(y) - sample.cell[1] - sample.offset[1];
    const RowSpan<double> row = span(e, dy, dz);
    if (row.half >= 0) ++met;
    to.rows.push_back(row.half >= 0 ? cells_within(sample.offset[0] + row.centre, row.half,
                                                   to.dims[0], sample.cell[0])
                                    : IndexRange{});
    slice.inside += to.rows.back().size();
  }
  if (slice.range.cells() > 0)
    to.bounds = {hull(to.bounds.x, slice.range.x), hull(to.bounds.y, slice.range.y)};
  to.total += {.slices = 1,
               .full = to.slice_cells(),
               .rows = met,
               .evaluated = slice.range.cells(),
               .inside = slice.inside};
  to.slices.push_back(slice);
}

std::string range_text(char axis, IndexRange range) {
  if (range.empty()) return fmt::format("{} none", axis);
  return fmt::format("{} {}..{}", axis, range.begin, range.end - 1);
}

/// "16,384"
std::string count_text(std::int64_t count) {
  return cli::format_count(static_cast<std::uint64_t>(count));
}

/// "900 of 16,384, 18.2 times fewer"
std::string share_text(std::int64_t kept, std::int64_t of) {
  if (kept == 0) return "0 of " + count_text(of);
  const double gain = static_cast<double>(of) / static_cast<double>(kept);
  return fmt::format("{} of {}, {:.{}f} times fewer", count_text(kept), count_text(of), gain,
                     gain < 100 ? 1 : 0);
}

/// ": 271 times fewer"; nothing if there are as many.
std::string gain_text(std::int64_t kept, std::int64_t of) {
  if (kept == 0 || kept == of) return "";
  const double gain = static_cast<double>(of) / static_cast<double>(kept);
  return fmt::format(": {} times fewer",
                     gain < 99.95 ? fmt::format("{:.3g}", gain) : count_text(std::llround(gain)));
}

/// Counts of a step, the longest version first.
std::vector<std::string> step_counts(std::int64_t kept, std::int64_t of) {
  const std::string gain = gain_text(kept, of), cells = count_text(kept);
  return {fmt::format("{} of {} cells{}", cells, count_text(of), gain),
          fmt::format("{} cells{}", cells, gain), cells + " cells", cells};
}

/// "707, 78.6 % of them"
std::string inside_text(std::int64_t inside, std::int64_t evaluated) {
  if (evaluated == 0) return "0";
  return fmt::format("{}, {:.1f} % of them", count_text(inside),
                     100 * static_cast<double>(inside) / static_cast<double>(evaluated));
}

std::vector<ReadoutLine> sample_lines(const SampleSlices& s) {
  const Vec3 at = s.position;
  const Ellipsoid<double>& e = s.ellipsoid;
  return {{"sample at (cells)", fmt::format("{:.2f}, {:.2f}, {:.2f}", at.x, at.y, at.z)},
          {"kernel half extents (cells)", fmt::format("{:.2f}, {:.2f}, {:.2f}", e.rx, e.ry, e.sz)},
          {"chop: slices", range_text('z', s.z)},
          {"slices kept", share_text(s.z.size(), s.dims[2])}};
}

std::vector<ReadoutLine> slice_lines(const SampleSlices& s, const SampleSlice& slice) {
  return {{"slice", fmt::format("z = {}", slice.z)},
          {"crop: grid ranges",
           fmt::format("{}, {}", range_text('x', slice.range.x), range_text('y', slice.range.y))},
          {"cells evaluated", share_text(slice.range.cells(), s.slice_cells())},
          {"cells inside", inside_text(slice.inside, slice.range.cells())}};
}

std::vector<ReadoutLine> total_lines(const SampleSlices& s) {
  return {{"whole grid", count_text(s.grid_cells())},
          {"after chop: full slices", share_text(s.total.full, s.grid_cells())},
          {"the kernel's box", count_text(s.box_cells())},
          {"after crop: evaluated", share_text(s.total.evaluated, s.total.full)},
          {"inside", inside_text(s.total.inside, s.total.evaluated)},
          {"chop and crop", share_text(s.total.evaluated, s.grid_cells())}};
}

}  // namespace

double SampleSlices::value_at(double x, double y, double z_index) const {
  const double q = ellipsoid.q(x - position.x, y - position.y, z_index - position.z);
  return q < 1 ? function->profile(q * cut * cut) / function->profile(0) : 0;
}

std::size_t SampleSlices::nearest(double z_index) const {
  if (slices.empty()) return 0;
  const double low = z.begin, high = z.end - 1;
  return static_cast<std::size_t>(std::clamp(std::rint(z_index), low, high) - low);
}

SampleSlices slice_sample(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position) {
  SampleSlices slices;
  for (std::size_t axis = 0; axis < 3; ++axis)
    slices.dims[axis] = static_cast<std::int32_t>(grid.dims[axis]);
  slices.ellipsoid = ellipsoid;
  slices.position = grid.to_cells(position);
  const auto sample = place_sample<double>(grid, ellipsoid, position);
  slices.z = chop(ellipsoid, sample.offset[2], slices.dims[2], sample.cell[2]);
  slices.slices.reserve(static_cast<std::size_t>(slices.z.size()));
  for (std::int32_t z = slices.z.begin; z < slices.z.end; ++z) add_slice(slices, sample, z);
  return slices;
}

Symmetric3 world_matrix(const Ellipsoid<double>& e, const Grid& grid) {
  const Vec3 d = grid.spacing;
  const double zz = e.sz * e.sz, yz = e.bzy * zz, xz = e.mx * zz;
  const double xy = e.bxy * e.sy * e.sy + xz * e.bzy;
  return {e.rx * e.rx * d.x * d.x, xy * d.x * d.y, xz * d.x * d.z,
          e.ry * e.ry * d.y * d.y, yz * d.y * d.z, zz * d.z * d.z};
}

std::array<MethodCaption, 4> method_captions(const SampleSlices& s, std::size_t slice) {
  const std::string all = count_text(s.grid_cells());
  std::array<MethodCaption, 4> captions{
      {{"1. all cells",
        "1. all",
        {fmt::format("{} \u00d7 {} \u00d7 {} = {} cells", s.dims[0], s.dims[1], s.dims[2], all),
         all + " cells", all}},
       {fmt::format("2. chop: {}", range_text('z', s.z)), "2. chop",
        step_counts(s.total.full, s.grid_cells())},
       {"3. crop: none", "3. crop", step_counts(s.total.evaluated, s.grid_cells())},
       {"no slice", "none", {"the kernel reaches no cell", "no cell"}}}};
  if (s.slices.empty()) return captions;
  const SampleSlice& chosen = s.slices.at(slice);
  const std::string cells = count_text(chosen.range.cells()), inside = count_text(chosen.inside);
  captions[2].title =
      fmt::format("3. crop: {} \u00d7 {}", chosen.range.x.size(), chosen.range.y.size());
  captions[3] = {fmt::format("slice z = {}", chosen.z),
                 fmt::format("z = {}", chosen.z),
                 {fmt::format("{} of {} cells, {} inside the kernel", cells,
                              count_text(s.slice_cells()), inside),
                  fmt::format("{} cells, {} inside the kernel", cells, inside),
                  fmt::format("{} cells, {} inside", cells, inside), cells + " cells"}};
  return captions;
}

MethodReadout method_readout(const SampleSlices& slices, std::size_t slice) {
  if (slices.slices.empty())
    return {sample_lines(slices), {{"slice", "the kernel reaches none"}}, total_lines(slices)};
  return {sample_lines(slices), slice_lines(slices, slices.slices.at(slice)), total_lines(slices)};
}

}  // namespace skde::view
