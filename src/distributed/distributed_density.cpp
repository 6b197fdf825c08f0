#include "distributed/distributed_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"
#include "core/report/error.hpp"
#include "core/space/slab_balance.hpp"
#include "core/version.hpp"
#include "distributed/distributed_output.hpp"
#include "engines/integer_sums.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/plan/sums_plan.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "io/points/partial_sums_file.hpp"
#include "io/text/json_object.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

std::vector<SliceRange> balanced_slabs(const PartialProblem& problem,
                                       const std::vector<std::int64_t>& counts, int ranks) {
  const Grid& grid = problem.grid;
  const Ellipsoid<double> kernel = problem.kernel.ellipsoid(grid);
  const std::vector<std::int64_t> cuts = balanced_cuts(
      {counts, grid.dims[0] * grid.dims[1], kernel.sz, std::numbers::pi * kernel.sx * kernel.sy},
      ranks);
  std::vector<SliceRange> slabs;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    slabs.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  return slabs;
}

SumsShare share_of(const DensityRequest& request, const Neighbours& neighbours, SliceRange slab) {
  const std::vector<int> all = devices_for_sums(request, true);
  const auto rank = static_cast<std::size_t>(neighbours.rank),
             ranks = static_cast<std::size_t>(neighbours.size);
  SumsShare share{slab};
  for (std::size_t i = rank; i < all.size(); i += ranks) share.devices.push_back(all[i]);
  if (share.devices.empty() && !all.empty()) share.devices.push_back(all[rank % all.size()]);
  if (!all.empty()) share.sharers = static_cast<int>((ranks - 1) / all.size() + 1);
  return share;
}

/// Returns how many samples are nearest to each slice.
std::vector<std::int64_t> count_by_slice(const Grid& grid, const SamplesView& points) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.dims[2]));
  const auto last = static_cast<double>(grid.dims[2] - 1);
  for (std::size_t i = 0; i < points.size(); ++i)
    ++counts[static_cast<std::size_t>(
        std::clamp(std::round(grid.to_cells(points.point(i)).z), 0.0, last))];
  return counts;
}

/// Plans what this rank does; `head` comes from plan_head(). Slabs have equal work, judged by the
/// samples of all ranks in each slice. Slabs of an image `in_pieces` share a slice with the next
/// one. The GPUs of a machine are divided among its ranks; if there are more ranks, some share one.
/// Throws what plan_sums throws.
SumsPlan plan_rank(const RankGroup& ranks, const CloudFiles& files, SumsRequest request,
                   const PartialHead& head, const std::vector<std::int64_t>& counts,
                   bool in_pieces) {
  std::vector<SliceRange> slabs = balanced_slabs(head.problem, counts, ranks.size());
  if (in_pieces)
    for (SliceRange& slab : slabs)
      if (slab.count > 0 && slab.end() < head.problem.grid.dims[2]) ++slab.count;
  const SliceRange own = slabs[static_cast<std::size_t>(ranks.rank())];
  request.share = share_of(request.density, ranks.neighbours(), own);
  SumsPlan plan = plan_sums(files, request, head);
  plan.slabs = std::move(slabs);
  return plan;
}

/// Returns the samples that each rank's slab needs, as rows of doubles: those whose kernels may
/// reach the slab.
std::vector<std::vector<double>> sorted_by_owner(const PartialProblem& problem,
                                                 const SamplesView& points,
                                                 const std::vector<SliceRange>& slabs) {
  std::vector<std::vector<double>> rows(slabs.size());
  const std::size_t columns = points.weighted() ? 4 : 3;
  for (std::vector<double>& to : rows)  // about as many each, as work is about equal
    reserve_in_huge_pages(to, columns * (9 * points.size() / (8 * slabs.size()) + 1));
  // One cell more than the kernel reaches, because a sample's own cell is rounded.
  const double reach = std::ceil(problem.kernel.ellipsoid(problem.grid).sz) + 2;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points.point(i);
    const double z = problem.grid.to_cells(p).z;
    // Slabs are consecutive. Begins with the first one that ends where the kernel begins, or later.
    auto slab = std::ranges::lower_bound(
        slabs, z - reach, {}, [](SliceRange one) { return static_cast<double>(one.end()); });
    for (; slab != slabs.end() && static_cast<double>(slab->first) <= z + reach; ++slab) {
      if (slab->count == 0) continue;
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

/// Returns the integer sum over all ranks, added in groups of digits, and the largest value.
SumTotals totals_of_all(const RankGroup& ranks, std::span<const std::int64_t> sums) {
  constexpr int kDigitBits = 40;
  constexpr std::int64_t kMask = (std::int64_t{1} << kDigitBits) - 1;
  __extension__ using Wide = __int128;
  Wide own = 0, all = 0;
  std::int64_t largest = 0;
  for (const std::int64_t sum : sums) {
    own += sum;
    largest = std::max(largest, sum);
  }
  std::vector<std::int64_t> digits;
  for (int shift = 0; shift <= 2 * kDigitBits; shift += kDigitBits)
    digits.push_back(static_cast<std::int64_t>(own >> shift) & kMask);
  digits = ranks.sum(std::move(digits));
  for (std::size_t i = 0; i < digits.size(); ++i)
    all += Wide{digits[i]} << (static_cast<int>(i) * kDigitBits);
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
    plan();
    if (!request_.only_plans) {
      sum();
      write();
    }
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
      own_ = read_part(request_.files, part(), request_.density.options.threads, kSamplesAtOnce,
                       progress_, [&](const SamplesView& some) { append_samples(samples_, some); });
    });
  }

  /// Shares the moments of all ranks as texts, which hold every bit.
  PartialCloud shared_moments() {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    io::put(json, own_);
    const std::vector<std::string> texts = ranks_.gather(io::json_line(json));
    PartialCloud all = own_;
    together([&] {
      for (std::size_t r = 0; r < texts.size(); ++r) {
        if (static_cast<int>(r) == ranks_.rank()) continue;
        const nlohmann::ordered_json one = io::parse_json(texts[r], fmt::format("rank {}", r));
        io::JsonObject object(one, fmt::format("rank {}", r));
        PartialCloud cloud;
        io::read(object, cloud);
        merge_clouds(all, cloud);
      }
    });
    return all;
  }

  void plan() {
    const SumsRequest asked{request_.density, part(), shared_moments(), request_.memory_limit};
    PartialHead head;
    std::vector<std::int64_t> counts;
    together([&] {
      head = plan_head(request_.files, asked);
      counts = count_by_slice(head.problem.grid, samples_.view());
    });
    counts = ranks_.sum(std::move(counts));
    together([&] {
      plan_ = plan_rank(ranks_, request_.files, asked, head, counts, is_in_pieces(request_.output));
      plan_.require_runnable();
      result_.head = plan_.head;
      result_.head.cloud = *asked.whole;
    });
    result_.slabs = plan_.slabs;
    result_.summed_by = ranks_.gather(plan_.slices.count > 0 ? plan_.summed_by() : "");
    if (request_.only_plans)
      result_.plans = ranks_.gather(
          io::json_line(cli::document_json(cli::PlanShown{plan_, request_.files.paths})));
  }

  /// Sends samples to the ranks whose slabs they reach, and sums there. If the faces of the box
  /// make images, these are sent instead, one bandwidth matrix after another.
  void sum() {
    const PartialProblem& problem = result_.head.problem;
    std::optional<BoundaryImages> images;
    std::unique_ptr<IntegerSums> sums;
    std::int64_t beyond = 0;
    together([&] {
      images = images_of(problem);
      if (images) beyond = static_cast<std::int64_t>(count_beyond(*images, samples_.view()));
      if (plan_.slices.count > 0)
        sums = make_integer_sums(plan_.engine, problem, plan_.slices, plan_.options);
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

  /// Adds the kernel mass outside the box, over each rank's own samples, without rounding.
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

  void add_exchanged(Samples samples, IntegerSums* sums) {
    const bool weighted = own_.weighted || divides(result_.head.problem.boundaries);
    std::vector<std::vector<double>> rows;
    together([&] {
      rows = sorted_by_owner(result_.head.problem, samples.view(), plan_.slabs);
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

  /// Returns the number of cells without the slice that a piece shares with the next one.
  std::size_t own_cells() const {
    const Grid& grid = plan_.grid;
    const auto next = static_cast<std::size_t>(ranks_.rank()) + 1;
    const std::int64_t end =
        next < plan_.slabs.size() ? plan_.slabs[next].first : plan_.slices.end();
    return static_cast<std::size_t>((end - plan_.slices.first) * grid.dims[0] * grid.dims[1]);
  }

  void write() {
    const SumTotals totals = totals_of_all(ranks_, std::span(sums_).first(own_cells()));
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
                     plan_.slices.first, plan_.slices.count);
      output->write(sums_, result_.facts.factor);
    });
    together([&] { output->commit(); });
    together([&] {
      std::vector<std::int64_t> slices;
      for (const SliceRange& slab : plan_.slabs)
        slices.insert(slices.end(), {slab.first, slab.count});
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
    together([&] { output->write(*file, plan_.slices.first, sums_, result_.facts.factor); });
    file.reset();
    together([&] { output->commit(); });
  }

  const RankGroup& ranks_;
  const DistributedRequest& request_;
  const std::function<int(std::exception_ptr)>& report_;
  Progress& progress_;
  Samples samples_;
  PartialCloud own_;
  SumsPlan plan_;
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
