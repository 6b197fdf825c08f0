#include "python/python_request.hpp"

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/plan/sums_plan.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "estimate/sum/merged_density.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_setup.hpp"
#include "io/points/partial_sums_file.hpp"
#include "io/text/json_object.hpp"
#include "python/python_call.hpp"
#include "python/python_density.hpp"

namespace skde::python {
namespace {

using Json = nlohmann::ordered_json;
using Sums = std::vector<std::int64_t>;

/// The facts about the samples of a chunk, or of merged chunks.
struct PartFacts {
  PartialCloud cloud;
  ExactSum outside;  ///< as in PartialHead
};

std::string text_of(const PartFacts& facts) {
  Json json;
  io::put(json["cloud"], facts.cloud);
  json["outside"] = facts.outside.parts();
  return io::exact_json_line(json);
}

PartFacts facts_from(const std::string& text) {
  const Json json = io::parse_json(text, "part");
  io::JsonObject object(json, "part");
  object.require({"cloud", "outside"});
  PartFacts facts;
  io::JsonObject cloud = object.object(*object.find("cloud"), "cloud");
  io::read(cloud, facts.cloud);
  cloud.finish();
  io::read_sum(object, "outside", facts.outside);
  object.finish();
  return facts;
}

/// A chunk of samples, number `part` of `parts` from 1.
struct Chunk {
  OwnedSamples samples;
  bool weighted = false;  ///< the view of an empty chunk lacks this
  PartialPiece piece;

  /// Returns the description of its samples, without moments.
  PartialCloud cloud() const {
    PartialCloud cloud;
    cloud.weighted = weighted;
    cloud.rows.rows = samples.view.size();
    cloud.pieces = {piece};
    cloud.version = kVersion;
    return cloud;
  }
};

Chunk chunk_of(const Doubles& xyz, const py::object& weights, const std::string& name,
               std::uint64_t part, std::uint64_t parts) {
  return {samples_from(xyz, weights, py::none(), py::none()),
          !weights.is_none(),
          {{name}, part, parts}};
}

/// The request for sums over chunks of these samples.
struct PartsRequest {
  CloudFiles files;  ///< without paths: only whether there are weights
  SumsRequest sums;
};

PartsRequest request_from(const DensityOptions& options, const PartialCloud& whole) {
  PartsRequest made;
  if (whole.weighted) made.files.columns.weight = "weights";
  made.sums.density = options.request;
  made.sums.memory_limit = options.memory_limit;
  made.sums.whole = whole;
  return made;
}

/// Throws the errors of keywords before any sample is read.
void require_summable(const py::dict& keywords) {
  const DensityRequest request = options_from(keywords).request;
  static_cast<void>(grid_ahead(request));
  if (is_data_driven(request.bandwidth))
    throw Error(ErrorKind::usage, "the rule for the bandwidth needs all samples in one place",
                {"bandwidth", "choose h from some of the samples, and give it"});
}

std::string part_moments(const Doubles& xyz, const py::object& weights, const std::string& name,
                         std::uint64_t part, std::uint64_t parts, int threads) {
  const Chunk chunk = chunk_of(xyz, weights, name, part, parts);
  return call_library(py::none(), [&](Progress&) {
    static_cast<void>(make_cloud(chunk.samples.view, nullptr));  // throws
    PartFacts facts{chunk.cloud(), {}};
    facts.cloud.moments.add(chunk.samples.view, threads);
    return text_of(facts);
  });
}

std::string merge_parts(const std::vector<std::string>& texts) {
  PartFacts merged = facts_from(texts.at(0));
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const PartFacts more = facts_from(texts[i]);
    require_like(merged.cloud, "a chunk", more.cloud, "another chunk");
    merge_clouds(merged.cloud, more.cloud);
    merged.outside.merge(more.outside);
  }
  check_pieces(merged.cloud, false);
  return text_of(merged);
}

/// Returns a dict of the bandwidth matrix and the grid, which determine the sums.
py::dict plan_parts(const py::dict& keywords, const std::string& text) {
  const PartFacts facts = facts_from(text);
  check_pieces(facts.cloud, true);
  const PartsRequest request = request_from(options_from(keywords), facts.cloud);
  const PartialHead head = plan_head(request.files, request.sums);
  const Grid& grid = head.problem.grid;
  py::dict like, plan;
  like["lower"] = py::make_tuple(grid.lower.x, grid.lower.y, grid.lower.z);
  like["spacing"] = py::make_tuple(grid.spacing.x, grid.spacing.y, grid.spacing.z);
  like["dims"] = py::make_tuple(grid.dims[0], grid.dims[1], grid.dims[2]);
  plan["like"] = like;
  plan["bandwidth"] = array_of(head.problem.kernel.H);
  return plan;
}

/// Returns (text, sums): the facts about the samples of a chunk, and one integer per cell, x
/// fastest.
py::tuple sum_part(const py::dict& keywords, const std::string& text, const Doubles& xyz,
                   const py::object& weights, const std::string& name, std::uint64_t part,
                   std::uint64_t parts) {
  const Chunk chunk = chunk_of(xyz, weights, name, part, parts);
  PartsRequest request = request_from(options_from(keywords), facts_from(text).cloud);
  request.sums.part = {part - 1, parts};
  std::string told;
  auto kept = std::make_unique<Sums>(call_library(py::none(), [&](Progress& progress) {
    const SumsPlan plan = plan_sums(request.files, request.sums);
    plan.require_runnable();
    BoundarySums sums(plan.head.problem, plan.engine, plan.options, plan.slices);
    const SamplesView& points = chunk.samples.view;
    PartFacts facts{chunk.cloud(), {}};
    facts.cloud.moments.add(points, plan.options.threads);
    for (std::size_t begin = 0; begin < points.size(); begin += kSamplesAtOnce)
      sums.add(points.slice(begin, std::min(kSamplesAtOnce, points.size() - begin)), progress);
    facts.cloud.rows.beyond = sums.beyond();
    facts.outside = sums.outside();
    told = text_of(facts);
    return sums.take_sums();
  }));
  const auto count = static_cast<py::ssize_t>(kept->size());
  const py::capsule owner(kept.get(), [](void* p) { delete static_cast<Sums*>(p); });
  const std::int64_t* const first = kept.release()->data();
  return py::make_tuple(told, py::array_t<std::int64_t>(count, first, owner));
}

/// Returns the facts about the density of these sums.
DensityFacts facts_of(const SumsPlan& plan, const PartialHead& head, const MergedDensity& merged) {
  DensityFacts facts(plan);
  facts.counts.rows = head.cloud.rows.rows;
  facts.moments = head.cloud.moments.moments();
  facts.cloud.samples = static_cast<std::int64_t>(facts.moments.count());
  facts.normalization = merged.metadata.normalization;
  facts.error_bound = merged.metadata.error_bound;
  facts.mass_in_box = merged.metadata.mass_in_box;
  facts.sum_in_box = merged.volume.sum() * plan.grid.cell_volume();
  facts.peak = merged.peak;
  facts.warnings = merged.warnings;
  return facts;
}

/// Returns the density of the sums of all chunks. `told` holds the merged facts of the chunks that
/// were summed, `text` the facts with their moments from the first pass.
PyDensity density_of_parts(const py::dict& keywords, const std::string& text,
                           const std::string& told,
                           const py::array_t<std::int64_t, py::array::c_style>& sums) {
  const DensityOptions options = options_from(keywords);
  const PartFacts whole = facts_from(text);
  PartFacts summed = facts_from(told);
  check_pieces(summed.cloud, true);
  if (summed.cloud.moments != whole.cloud.moments)
    throw Error(ErrorKind::input, "the samples of the chunks must not change between two passes",
                {{}, "use persist() on the array, or give its random numbers a seed"});
  const PartsRequest request = request_from(options, whole.cloud);
  const Sums values(sums.data(), sums.data() + sums.size());
  PyDensity made;
  made.density = call_library(py::none(), [&](Progress&) {
    SumsPlan plan = plan_sums(request.files, request.sums);
    if (static_cast<std::int64_t>(values.size()) != plan.grid.cells())
      throw Error(ErrorKind::usage, "there must be one sum for each cell of the grid");
    PartialHead head = plan.head;
    head.cloud = std::move(summed.cloud);
    head.cloud.units = options.units;
    head.outside = std::move(summed.outside);
    require_digits(head, "the chunks");
    MergedDensity merged = density_of(head, values, options.request.normalization);
    DensityFacts facts = facts_of(plan, head, merged);
    return std::make_shared<Density>(
        std::move(facts), std::move(merged.metadata),
        BufferLease(std::make_unique<HostValues>(std::move(merged.volume))));
  });
  show_warnings(made.density->facts().warnings);
  return made;
}

}  // namespace

void add_parts(py::module_& module) {
  module.def("require_summable", require_summable);
  module.def("part_moments", part_moments);
  module.def("merge_parts", merge_parts);
  module.def("plan_parts", plan_parts);
  module.def("sum_part", sum_part);
  module.def("density_of_parts", density_of_parts);
}

}  // namespace skde::python
