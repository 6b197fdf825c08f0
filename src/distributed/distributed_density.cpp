#include "distributed/distributed_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "core/report/error.hpp"
#include "core/slab_balance.hpp"
#include "core/version.hpp"
#include "distributed/piece_output.hpp"
#include "distributed/slab_output.hpp"
#include "estimate/stream/sums_place.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "io/json_object.hpp"
#include "io/partial_cloud_json.hpp"
#include "system/huge_pages.hpp"

namespace skde {
namespace {

/// Slices of the grid that a rank owns.
struct Slab {
  std::int64_t begin = 0, end = 0;
  std::int64_t slices() const { return end - begin; }
};

/// How many samples are nearest to each slice.
std::vector<std::int64_t> count_by_slice(const Grid& grid, const SamplesView& points) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.dims[2]));
  const auto last = static_cast<double>(grid.dims[2] - 1);
  for (std::size_t i = 0; i < points.size(); ++i)
    ++counts[static_cast<std::size_t>(
        std::clamp(std::round(grid.to_cells(points.point(i)).z), 0.0, last))];
  return counts;
}

/// The samples that each rank's slab needs: those whose kernels may reach it, as rows of doubles.
std::vector<std::vector<double>> sorted_by_owner(const PartialProblem& problem,
                                                 const SamplesView& points,
                                                 const std::vector<Slab>& slabs) {
  std::vector<std::vector<double>> rows(slabs.size());
  const std::size_t columns = points.weighted() ? 4 : 3;
  for (std::vector<double>& to : rows)  // about as many, where work is about equal
    reserve_in_huge_pages(to, columns * (9 * points.size() / (8 * slabs.size()) + 1));
  // A cell more than the kernel reaches, as a sample's own cell is rounded.
  const double reach = std::ceil(problem.kernel.ellipsoid(problem.grid).sz) + 2;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points.point(i);
    const double z = problem.grid.to_cells(p).z;
    // Slabs lie one behind the other: the first one that ends where the kernel begins, or later.
    auto slab = std::ranges::lower_bound(
        slabs, z - reach, {}, [](const Slab& one) { return static_cast<double>(one.end); });
    for (; slab != slabs.end() && static_cast<double>(slab->begin) <= z + reach; ++slab) {
      if (slab->slices() == 0) continue;
      auto& to = rows[static_cast<std::size_t>(slab - slabs.begin())];
      to.insert(to.end(), {p.x, p.y, p.z});
      if (points.weighted()) to.push_back(points.weight(i));
    }
  }
  return rows;
}

Samples samples_of(std::vector<double> rows, bool weighted) {
  Samples samples;
  if (!weighted) {
    samples.xyz = std::move(rows);
    return samples;
  }
  constexpr std::size_t columns = 4;
  const std::size_t count = rows.size() / columns;
  reserve_in_huge_pages(samples.xyz, 3 * count);
  reserve_in_huge_pages(samples.weights, count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const row = rows.data() + columns * i;
    samples.xyz.insert(samples.xyz.end(), row, row + 3);
    samples.weights.push_back(row[3]);
  }
  return samples;
}

/// The sum over all ranks in whole numbers, and the largest value.
SumTotals totals_of_all(const RankGroup& ranks, std::span<const std::int64_t> sums) {
  constexpr int kDigitBits = 40, kDigits = 3;
  constexpr std::int64_t kMask = (std::int64_t{1} << kDigitBits) - 1;
  std::vector<std::int64_t> digits(kDigits);
  std::int64_t largest = 0;
  for (const std::int64_t sum : sums) {
    digits[0] += sum & kMask;
    digits[1] += sum >> kDigitBits;
    digits[1] += digits[0] >> kDigitBits;
    digits[0] &= kMask;
    digits[2] += digits[1] >> kDigitBits;
    digits[1] &= kMask;
    largest = std::max(largest, sum);
  }
  digits = ranks.sum(std::move(digits));
  __extension__ using Wide = __int128;
  const Wide all =
      (Wide{digits[2]} << (2 * kDigitBits)) + (Wide{digits[1]} << kDigitBits) + Wide{digits[0]};
  return {static_cast<double>(all), ranks.largest(largest)};
}

/// One run on one rank, step by step.
class DistributedRun {
 public:
  DistributedRun(const RankGroup& ranks, const DistributedRequest& request,
                 const std::function<int(std::exception_ptr)>& report, Progress& progress)
      : ranks_(ranks), request_(request), report_(report), progress_(progress) {}

  DistributedResult run() {
    read();
    share_moments();
    sum();
    write();
    return std::move(result_);
  }

 private:
  template <class Work>
  void together(const Work& work) {
    ranks_.together(work, report_);
  }

  io::CloudPart part() const {
    return {static_cast<std::uint64_t>(ranks_.rank()), static_cast<std::uint64_t>(ranks_.size())};
  }

  void read() {
    together([&] {
      own_ =
          read_part(request_.files, part(), request_.density.options.threads, samples_, progress_);
    });
  }

  /// By their texts, which hold every bit.
  void share_moments() {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    io::put(json, own_);
    const std::vector<std::string> texts = ranks_.gather(io::json_line(json));
    together([&] {
      PartialRequest partial{request_.density, part(), {}, request_.memory_limit};
      partial.whole.emplace();
      partial.slabs = ranks_.size();
      for (std::size_t r = 0; r < texts.size(); ++r) {
        const nlohmann::ordered_json one = io::parse_json(texts[r], fmt::format("rank {}", r));
        io::JsonObject object(one, fmt::format("rank {}", r));
        PartialCloud cloud;
        io::read(object, cloud);
        if (r == 0)
          *partial.whole = std::move(cloud);
        else
          merge_clouds(*partial.whole, cloud);
      }
      result_.head = set_up_parts(partial, request_.files);
      result_.head.cloud = *partial.whole;
    });
    share_slices();
  }

  /// GPUs of a machine are dealt out to its ranks; where there are more ranks, some share one.
  SumsWork work_of_rank(double samples) const {
    const std::vector<int> all = devices_for_sums(request_.density, true);
    const auto rank = static_cast<std::size_t>(ranks_.neighbours().rank),
               ranks = static_cast<std::size_t>(ranks_.neighbours().size);
    SumsWork work{samples / ranks_.size(), slab_.slices()};
    for (std::size_t i = rank; i < all.size(); i += ranks) work.devices.push_back(all[i]);
    if (work.devices.empty() && !all.empty()) work.devices.push_back(all[rank % all.size()]);
    if (!all.empty()) work.sharers = static_cast<int>((ranks - 1) / all.size() + 1);
    return work;
  }

  /// What sums this rank's slab.
  void choose_place() {
    std::string text;
    together([&] {
      if (slab_.slices() == 0) return;
      const double all = static_cast<double>(result_.head.cloud.moments.count());
      place_ = sums_place(request_.density, result_.head.problem, work_of_rank(all));
      text = to_text(place_);
    });
    result_.summed_by = ranks_.gather(text);
  }

  /// Slabs of equal work, from how many samples of all ranks lie in each slice.
  void share_slices() {
    const PartialProblem& problem = result_.head.problem;
    const Grid& grid = problem.grid;
    std::vector<std::int64_t> counts;
    together([&] { counts = count_by_slice(grid, samples_.view()); });
    counts = ranks_.sum(std::move(counts));
    const Ellipsoid<double> kernel = problem.kernel.ellipsoid(grid);
    const std::vector<std::int64_t> cuts = balanced_cuts(
        {counts, grid.dims[0] * grid.dims[1], kernel.sz, std::numbers::pi * kernel.sx * kernel.sy},
        ranks_.size());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) slabs_.push_back({cuts[i], cuts[i + 1]});
    own_slices_ = slabs_[static_cast<std::size_t>(ranks_.rank())].slices();
    // Pieces of an image of points share a slice with the next one.
    if (is_in_pieces(request_.output))
      for (Slab& slab : slabs_)
        if (slab.slices() > 0 && slab.end < grid.dims[2]) ++slab.end;
    slab_ = slabs_[static_cast<std::size_t>(ranks_.rank())];
    together([&] {
      if (slab_.slices() > 0)
        require_room({request_.density, part(), {}, request_.memory_limit}, problem,
                     slab_.slices());
    });
    choose_place();
  }

  /// Samples go to the ranks whose slabs they reach, and where the faces of the box make images of
  /// them, these go instead: those of one bandwidth matrix after those of the other.
  void sum() {
    const PartialProblem& problem = result_.head.problem;
    std::optional<BoundaryImages> images;
    std::unique_ptr<WholeSums> sums;
    std::int64_t beyond = 0;
    together([&] {
      images = images_of(problem);
      if (images) beyond = static_cast<std::int64_t>(count_beyond(*images, samples_.view()));
      if (slab_.slices() > 0)
        sums = make_whole_sums(problem, place_, {slab_.begin, slab_.slices()});
    });
    result_.head.cloud.rows.beyond = static_cast<std::uint64_t>(ranks_.sum({beyond})[0]);
    share_outside();
    if (!images) {
      add_exchanged(std::exchange(samples_, {}), sums.get());
    } else {
      for (std::size_t pass = 0; pass < images->passes(); ++pass) {
        Samples made;
        together([&] {
          std::vector<Samples> scratch;
          images->append_all(samples_.view(), pass, BoundaryImages::Which::all, scratch, made);
          if (sums) sums->use_matrix(images->matrix(pass));
        });
        add_exchanged(std::move(made), sums.get());
      }
      samples_ = {};
    }
    together([&] {
      if (sums) sums_ = sums->take_sums();
      sums = nullptr;
    });
    result_.cell_bytes =
        ranks_.largest(static_cast<std::int64_t>(sums_.size() * sizeof(std::int64_t)));
  }

  /// What of the kernels lies outside of the box, of each rank's own samples, without rounding.
  void share_outside() {
    const PartialProblem& problem = result_.head.problem;
    std::string text;
    together([&] {
      const BoxMass mass(problem.kernel, problem.grid.bounds(), problem.boundaries);
      const int threads = request_.density.options.threads;
      text = io::json_line(weight_outside(mass, samples_.view(), threads).parts());
    });
    for (const std::string& parts : ranks_.gather(text))
      for (const double part :
           io::parse_json(parts, "the sums of a rank").get<std::vector<double>>())
        result_.head.outside.add(part);
  }

  void add_exchanged(Samples samples, WholeSums* sums) {
    const bool weighted = own_.weighted || divides(result_.head.problem.boundaries);
    std::vector<std::vector<double>> rows;
    together([&] {
      rows = sorted_by_owner(result_.head.problem, samples.view(), slabs_);
      samples = {};
      progress_.begin("exchanging", 0, "samples");
    });
    const std::size_t columns = weighted ? 4 : 3;
    std::vector<double> received = ranks_.exchange(std::move(rows), columns);
    result_.sent += ranks_.sum({static_cast<std::int64_t>(received.size() / columns)})[0];
    together([&] {
      if (sums) sums->add(samples_of(std::move(received), weighted).view(), progress_);
    });
  }

  void write() {
    const auto own = static_cast<std::size_t>(own_slices_) *
                     static_cast<std::size_t>(result_.head.problem.grid.dims[0] *
                                              result_.head.problem.grid.dims[1]);
    const SumTotals totals = totals_of_all(ranks_, std::span(sums_).first(own));
    together([&] {
      result_.facts = facts_of(result_.head, totals, request_.density.normalization);
      DensityMetadata& about = result_.facts.metadata;
      about.command_line = request_.command_line;
      about.version = kVersion;
      if (!request_.units.empty()) about.units = request_.units;
      progress_.begin("writing " + request_.output, 0, "bytes");
    });
    is_in_pieces(request_.output) ? write_pieces() : write_one_file();
  }

  void write_pieces() {
    std::optional<PieceOutput> output;
    together([&] {
      output.emplace(ranks_, request_.output, result_.head.problem, result_.facts.metadata,
                     slab_.begin, slab_.slices());
      output->write(sums_, result_.facts.factor);
    });
    together([&] { output->commit(); });
    together([&] {
      std::vector<std::int64_t> slices;
      for (const Slab& slab : slabs_) slices.insert(slices.end(), {slab.begin, slab.slices()});
      if (ranks_.is_first()) output->name_pieces(slices);
    });
  }

  void write_one_file() {
    std::optional<SlabOutput> output;
    together([&] {
      output.emplace(ranks_, request_.output, request_.format, result_.head.problem,
                     result_.facts.metadata);
    });
    const std::string path = ranks_.from_first(output->temporary());
    std::optional<SharedFile> file;
    together([&] { file.emplace(path); });
    together([&] { output->write(*file, slab_.begin, sums_, result_.facts.factor); });
    file.reset();
    together([&] { output->commit(); });
  }

  const RankGroup& ranks_;
  const DistributedRequest& request_;
  const std::function<int(std::exception_ptr)>& report_;
  Progress& progress_;
  Samples samples_;
  PartialCloud own_;
  std::vector<Slab> slabs_;      // of all ranks
  Slab slab_;                    // that this one sums and writes
  std::int64_t own_slices_ = 0;  // without what pieces share
  WholeSumsPlace place_;
  std::vector<std::int64_t> sums_;
  DistributedResult result_;
};

}  // namespace

DistributedResult distribute_density(const RankGroup& ranks, const DistributedRequest& request,
                                     const std::function<int(std::exception_ptr)>& report,
                                     Progress& progress) {
  return DistributedRun(ranks, request, report, progress).run();
}

}  // namespace skde
