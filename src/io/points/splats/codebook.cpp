#include "io/points/splats/codebook.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace skde::io {
namespace {

constexpr std::size_t kCodebookEntries = 256, kMostCodebookSamples = std::size_t{1} << 18;
constexpr int kMostLloydSteps = 50;

/// Well-mixed_bits bits of a number (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
std::uint64_t mixed_bits(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}

/// At most kMostCodebookSamples of the values, one at random of each stretch, with the outermost;
/// sorted.
std::vector<double> sorted_samples(std::span<const float> values) {
  std::vector<double> samples;
  if (values.size() <= kMostCodebookSamples) {
    samples.assign(values.begin(), values.end());
  } else {
    for (std::size_t i = 0; i < kMostCodebookSamples; ++i) {
      const std::size_t first = i * values.size() / kMostCodebookSamples;
      const std::size_t end = (i + 1) * values.size() / kMostCodebookSamples;
      samples.push_back(static_cast<double>(values[first + mixed_bits(i) % (end - first)]));
    }
    const auto [least, most] = std::ranges::minmax_element(values);
    samples.push_back(static_cast<double>(*least));
    samples.push_back(static_cast<double>(*most));
  }
  std::ranges::sort(samples);
  return samples;
}

/// Sorted samples with sums of all before each.
class LloydSteps {
 public:
  explicit LloydSteps(std::vector<double> sorted) : sorted_(std::move(sorted)) {
    sums_.reserve(sorted_.size() + 1);
    squares_.reserve(sorted_.size() + 1);
    for (const double value : sorted_) {
      sums_.push_back(sums_.back() + value - middle());
      squares_.push_back(squares_.back() + (value - middle()) * (value - middle()));
    }
  }

  /// Moves each entry to the mean of the samples nearest to it. Returns the sum of squared
  /// distances from the entries before.
  double step(std::vector<double>& entries) const {
    double total = 0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const std::size_t end = k + 1 == entries.size()
                                  ? sorted_.size()
                                  : end_below((entries[k] + entries[k + 1]) / 2, first);
      if (end > first) {
        const auto count = static_cast<double>(end - first);
        const double sum = sums_[end] - sums_[first], e = entries[k] - middle();
        total += squares_[end] - squares_[first] - 2 * e * sum + count * e * e;
        entries[k] = std::clamp(sum / count + middle(), sorted_[first], sorted_[end - 1]);
      }
      first = end;
    }
    return total;
  }

 private:
  double middle() const { return sorted_[sorted_.size() / 2]; }
  std::size_t end_below(double bound, std::size_t first) const {
    return static_cast<std::size_t>(
        std::upper_bound(sorted_.begin() + static_cast<std::ptrdiff_t>(first), sorted_.end(),
                         bound) -
        sorted_.begin());
  }

  std::vector<double> sorted_, sums_{0}, squares_{0};
};

/// Entries after the last step, and the distance before it.
double improved_entries(const LloydSteps& lloyd, std::vector<double>& entries) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostLloydSteps; ++i) {
    const double now = lloyd.step(entries);
    if (!(now < 0.999 * before)) return now;
    before = now;
  }
  return before;
}

std::vector<double> best_entries(const std::vector<double>& sorted) {
  std::vector<double> quantiles(kCodebookEntries), steps(kCodebookEntries);
  for (std::size_t k = 0; k < kCodebookEntries; ++k) {
    quantiles[k] = sorted[(2 * k + 1) * (sorted.size() - 1) / (2 * kCodebookEntries)];
    const double share = static_cast<double>(k) / static_cast<double>(kCodebookEntries - 1);
    steps[k] = (1 - share) * sorted.front() + share * sorted.back();
  }
  quantiles.front() = sorted.front();
  quantiles.back() = sorted.back();
  const LloydSteps lloyd(sorted);
  const double of_quantiles = improved_entries(lloyd, quantiles),
               of_steps = improved_entries(lloyd, steps);
  return of_quantiles <= of_steps ? quantiles : steps;
}

constexpr std::size_t kPaletteBranches = 16, kPaletteTrainedOn = 4096;
constexpr int kPaletteSteps = 6, kPaletteLevels = 12;

/// Rows that share `quota` entries: a range of PaletteTree::order_.
struct PaletteNode {
  std::size_t first = 0, end = 0, quota = 1;
  std::size_t rows() const { return end - first; }
};

class PaletteTree {
 public:
  PaletteTree(std::span<const float> rows, std::size_t width, std::uint64_t seed)
      : rows_(rows), width_(width), seed_(seed), order_(rows.size() / width), near_(order_.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  /// Returns the leaves, each with one entry.
  std::vector<PaletteNode> leaves(std::size_t entries, const Progress& progress) {
    std::vector<PaletteNode> level{{0, order_.size(), entries}}, done;
    for (int depth = 0; !level.empty(); ++depth) {
      progress.throw_if_cancelled();
      std::vector<std::vector<PaletteNode>> parts(level.size());
#pragma omp parallel for schedule(dynamic) if (level.size() > 1)
      for (std::size_t i = 0; i < level.size(); ++i) parts[i] = split(level[i]);
      level.clear();
      for (const std::vector<PaletteNode>& some : parts)
        for (const PaletteNode& node : some)
          (node.quota == 1 || depth + 1 == kPaletteLevels || some.size() == 1 ? done : level)
              .push_back(node);
    }
    return done;
  }

  std::span<const std::uint32_t> members(const PaletteNode& node) const {
    return std::span(order_).subspan(node.first, node.rows());
  }

  void add_mean(const PaletteNode& node, std::vector<float>& to) const {
    std::vector<double> sums(width_);
    for (const std::uint32_t row : members(node))
      for (std::size_t k = 0; k < width_; ++k) sums[k] += static_cast<double>(number(row, k));
    for (const double sum : sums)
      to.push_back(static_cast<float>(sum / static_cast<double>(node.rows())));
  }

 private:
  float number(std::uint32_t row, std::size_t k) const { return rows_[row * width_ + k]; }

  /// Index of the nearest of `count` centres, which are stored number by number.
  std::size_t nearest(std::uint32_t row, const std::vector<float>& centres, std::size_t count,
                      float& square) const {
    std::array<float, kPaletteBranches> squares{};
    for (std::size_t k = 0; k < width_; ++k) {
      const float value = number(row, k);
      const float* const centre = centres.data() + k * kPaletteBranches;
      for (std::size_t c = 0; c < kPaletteBranches; ++c) {
        const float apart = value - centre[c];
        squares[c] += apart * apart;
      }
    }
    const auto best =
        std::min_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(count));
    square = *best;
    return static_cast<std::size_t>(best - squares.begin());
  }

  /// Rows of a node on which its centres are trained: all, or some at random.
  std::vector<std::uint32_t> trained_on(const PaletteNode& node) const {
    const auto all = members(node);
    std::vector<std::uint32_t> rows(all.begin(), all.end());
    if (rows.size() <= kPaletteTrainedOn) return rows;
    std::mt19937_64 random(seed_ + node.first * 31 + node.end);
    for (std::size_t i = 0; i < kPaletteTrainedOn; ++i)
      std::swap(rows[i], rows[i + random() % (rows.size() - i)]);
    rows.resize(kPaletteTrainedOn);
    return rows;
  }

  /// Centres by k-means, started from rows at equal steps of the list.
  std::vector<float> centres_of(const PaletteNode& node, std::size_t count) const {
    const std::vector<std::uint32_t> rows = trained_on(node);
    std::vector<float> centres(width_ * kPaletteBranches);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t k = 0; k < width_; ++k)
        centres[k * kPaletteBranches + c] =
            number(rows[(2 * c + 1) * rows.size() / (2 * count)], k);
    for (int step = 0; step < kPaletteSteps; ++step) {
      std::vector<double> sums(width_ * kPaletteBranches), counts(kPaletteBranches);
      for (const std::uint32_t row : rows) {
        float distance = 0;
        const std::size_t c = nearest(row, centres, count, distance);
        counts[c] += 1;
        for (std::size_t k = 0; k < width_; ++k)
          sums[k * kPaletteBranches + c] += static_cast<double>(number(row, k));
      }
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t k = 0; counts[c] > 0 && k < width_; ++k)
          centres[k * kPaletteBranches + c] =
              static_cast<float>(sums[k * kPaletteBranches + c] / counts[c]);
    }
    return centres;
  }

  /// Splits a node by its nearest centres; the node itself if all rows have the same.
  std::vector<PaletteNode> split(const PaletteNode& node) {
    const std::size_t count = std::min(kPaletteBranches, node.quota);
    if (count < 2) return {node};
    const std::vector<float> centres = centres_of(node, count);
    std::vector<float> apart(node.rows());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < node.rows(); ++i)
      near_[node.first + i] =
          static_cast<std::uint8_t>(nearest(order_[node.first + i], centres, count, apart[i]));
    std::array<std::size_t, kPaletteBranches> counts{};
    std::array<double, kPaletteBranches> distortion{};
    for (std::size_t i = 0; i < node.rows(); ++i) {
      ++counts[near_[node.first + i]];
      distortion[near_[node.first + i]] += static_cast<double>(apart[i]);
    }
    return parts_of(node, counts, distortion);
  }

  /// Sorts the rows of a node by their centres, and shares its entries: one for each part, the
  /// others by distortion, but no more than rows.
  std::vector<PaletteNode> parts_of(const PaletteNode& node,
                                    const std::array<std::size_t, kPaletteBranches>& counts,
                                    const std::array<double, kPaletteBranches>& distortion) {
    const double total = std::accumulate(distortion.begin(), distortion.end(), 0.0);
    const auto used =
        static_cast<std::size_t>(kPaletteBranches - std::ranges::count(counts, std::size_t{0}));
    std::vector<PaletteNode> parts;
    std::array<std::size_t, kPaletteBranches> at{};
    std::size_t first = node.first;
    double due = 0;  // of the entries beyond one a part, those of the parts so far
    std::size_t given = 0;
    for (std::size_t c = 0; c < kPaletteBranches; ++c) {
      at[c] = first;
      if (counts[c] == 0) continue;
      due += total > 0 ? static_cast<double>(node.quota - used) * distortion[c] / total : 0;
      const auto more = std::min(static_cast<std::size_t>(due + 0.5) - given, counts[c] - 1);
      given += more;
      parts.push_back({first, first + counts[c], 1 + more});
      first += counts[c];
    }
    std::vector<std::uint32_t> sorted(node.rows());
    for (std::size_t i = node.first; i < node.end; ++i)
      sorted[at[near_[i]]++ - node.first] = order_[i];
    std::ranges::copy(sorted, order_.begin() + static_cast<std::ptrdiff_t>(node.first));
    return parts;
  }

  std::span<const float> rows_;
  std::size_t width_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> near_;  ///< by place in order_
};

}  // namespace

Codebook::Codebook(std::span<const float> values) {
  if (values.empty()) return;
  const std::vector<double> sorted = sorted_samples(values);
  std::vector<double> entries = sorted;
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  if (entries.size() > kCodebookEntries) {
    entries = best_entries(sorted);
    std::ranges::sort(entries);
  }
  entries.resize(kCodebookEntries, entries.back());
  for (std::size_t k = 0; k < kCodebookEntries; ++k) values_[k] = static_cast<float>(entries[k]);
  for (std::size_t k = 0; k + 1 < kCodebookEntries; ++k)
    bounds_[k] = static_cast<float>(
        (static_cast<double>(values_[k]) + static_cast<double>(values_[k + 1])) / 2);
}

std::uint8_t Codebook::nearest(float value) const {
  // The first entry whose upper bound is not below the value: eight halvings without branches.
  std::size_t first = 0;
  for (std::size_t half = kCodebookEntries / 2; half > 0; half /= 2)
    first += bounds_[first + half - 1] < value ? half : 0;
  return static_cast<std::uint8_t>(first);
}

Palette palette_of(std::span<const float> rows, std::size_t width, std::size_t most,
                   std::uint64_t seed, const Progress& progress) {
  const std::size_t count = rows.size() / width;
  Palette palette;
  palette.labels.resize(count);
  if (count <= most) {
    palette.entries.assign(rows.begin(), rows.end());
    palette.size = count;
    for (std::size_t i = 0; i < count; ++i) palette.labels[i] = static_cast<std::uint16_t>(i);
    return palette;
  }
  PaletteTree tree(rows, width, seed);
  const std::vector<PaletteNode> leaves = tree.leaves(most, progress);
  for (const PaletteNode& leaf : leaves) {
    for (const std::uint32_t row : tree.members(leaf))
      palette.labels[row] = static_cast<std::uint16_t>(palette.size);
    tree.add_mean(leaf, palette.entries);
    ++palette.size;
  }
  return palette;
}

}  // namespace skde::io
