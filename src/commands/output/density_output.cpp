#include "commands/output/density_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/picture_flags.hpp"
#include "core/space/projection.hpp"
#include "core/version.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/projection_picture.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

/// If the reach is fewer cells, sums over cell centres differ from the integrals by percents.
constexpr double kFewestCells = 2;

std::string bandwidth_text(const DensityRun& run) {
  const Bandwidth& bandwidth = run.facts->bandwidth;
  if (bandwidth.source == "samples") return "per-sample H, whose mean follows";
  if (bandwidth.h == 0) return "H as given";
  const bool length = run.covariance == "iso";
  return fmt::format("h = {}{} ({}), {}", format_value(bandwidth.h),
                     length ? unit_suffix(run.units) : "", bandwidth.source,
                     length ? "H = h^2 I" : fmt::format("H = h^2 S, S {}", run.covariance));
}

std::string values_text(const DensityRun& run) {
  if (run.facts->problem.signed_weights)
    return fmt::format(
        "signed field{}, integral over the box {}, up to {}",
        run.facts->normalization == Normalization::count ? "" : " per sum of absolute weights",
        format_value(run.facts->sum_in_box), format_value(run.facts->peak));
  const std::string_view integral =
      run.facts->normalization == Normalization::box     ? "integral 1 over the box"
      : run.facts->normalization == Normalization::count ? "integral W over all space"
                                                         : "integral 1 over all space";
  return fmt::format("{}{}, peak {}",
                     run.facts->request.cells == CellValue::mean ? "means over cells, " : "",
                     integral, format_value(run.facts->peak));
}

std::string engine_text(const DensityFacts& facts) {
  std::string text = facts.engine;
  if (!facts.launch_policy.empty()) text += ": " + facts.launch_policy;
  if (facts.updates_per_second() > 0)
    text += ", " + format_rate(facts.updates_per_second(), "updates");
  return text;
}

void add_choice(Report& report, const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  if (facts.request.is_histogram()) return;
  report.line("bandwidth", bandwidth_text(run));
  add_judge(report, facts.bandwidth);
  if (facts.bandwidth.uses_covariance && run.covariance != "robust" && run.covariance != "file")
    add_outliers(report, facts.moments);
}

std::string adaptive_text(const DensityRun& run) {
  const std::optional<AdaptiveFacts>& adaptive = run.facts->adaptive;
  if (!adaptive) return "";
  return fmt::format("per-sample, {} to {} times the bandwidth (alpha {:g})",
                     format_value(adaptive->least), format_value(adaptive->largest),
                     adaptive->alpha);
}

void add_shape(Report& report, const DensityRun& run) {
  if (run.facts->request.is_histogram()) return;
  const Vec3 half = run.facts->kernel.half_extents(), d = run.facts->grid.spacing;
  add_matrix(report, "H", run.facts->bandwidth.H);
  report.line("reach",
              fmt::format("{}, {}, {}{} ({:.1f}, {:.1f}, {:.1f} cells) along x, y, z",
                          format_value(half.x), format_value(half.y), format_value(half.z),
                          unit_suffix(run.units), half.x / d.x, half.y / d.y, half.z / d.z));
  if (run.facts->thin.now() > 0)
    report.line("", "H and reach are those before kernels were widened to the cells");
}

void add_grid_lines(Report& report, const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  add_grid(report, facts.grid, facts.precision, run.units);
  add_cells(report, facts.grid, facts.reach_ratio);
}

/// Adds a hint if the cells are too large to resolve the kernel, so that the mass is inaccurate
/// too.
void add_resolution_note(Report& report, const DensityFacts& facts) {
  const Grid& grid = facts.grid;
  const double thinnest = thinnest_half_width(facts.kernel.H, grid);
  if (thinnest >= kFewestCells || facts.request.cells == CellValue::mean) return;
  const Vec3 half = facts.kernel.half_extents();
  std::string where =
      fmt::format("{:.1f} cells where they are thinnest", facts.kernel.cut() * thinnest);
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = half[axis] / grid.spacing[axis];
    if (cells >= kFewestCells) continue;
    where = fmt::format("{:.1f} cells along {}", cells, kAxisNames[axis]);
    break;
  }
  report.line("note",
              fmt::format("kernels reach only {}; use more --dims or a smaller --spacing", where));
}

std::string mass_text(const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  if (facts.problem.signed_weights) return "";
  std::string text = format_share(facts.mass_in_box);
  if (facts.unseen_mass() > 0)
    text += fmt::format("; about {} is lost: its kernels are in the box, but cover no cell centre",
                        format_share(facts.unseen_mass()));
  return text;
}

void add_values(Report& report, const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  const MeasuredError measured = facts.measured.value_or(MeasuredError{});
  report.line("values", values_text(run));
  report.line("accuracy", accuracy_text(facts.error_bound, measured.error, measured.cells));
  add_resolution_note(report, facts);
}

std::string standard_error_text(const DensityRun& run) {
  if (!run.standard_error) return "";
  return fmt::format("up to {} of the peak, by {} in {}",
                     format_share(run.standard_error->largest / run.facts->peak),
                     run.standard_error->engine, format_duration(run.standard_error->seconds));
}

void add_engine(Report& report, const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  report.line("engine", engine_text(facts));
  for (const RejectedEngine& faster : facts.rejected)
    report.line("not " + faster.engine, "faster here, but " + faster.why);
  if (facts.memory.part_samples > 0 || facts.memory.slabs > 1)
    report.line("plan", facts.memory.describe());
}

void add_times(Report& report, const DensityRun& run) {
  const std::string memory = format_bytes(static_cast<double>(run.peak_memory));
  if (!run.verbose)
    return report.line("took",
                       fmt::format("{}, {} of memory", format_duration(run.seconds), memory));
  std::vector<std::vector<std::string>> rows;
  for (const StageTime& stage : run.stages)
    rows.push_back({stage.stage, format_duration(stage.seconds)});
  rows.push_back({"total", format_duration(run.seconds)});
  report.table("times", rows);
  report.line("memory", memory + " at most");
}

}  // namespace

void add_fields(Fields<StandardErrorFacts>& add) {
  add.name("standard_error");
  add("largest", "of all cells, in the unit of the density", &StandardErrorFacts::largest);
  add("engine", "that summed the squared kernels", &StandardErrorFacts::engine);
  add("seconds", &StandardErrorFacts::seconds);
}

void add_fields(Fields<DensityRun>& add) {
  add.name("density", "skde density IN... -o OUT --json");
  add("version", [](auto&) { return kVersion; });
  add("inputs", &DensityRun::inputs);
  add("samples", [](auto& run) { return run.facts->counts; });
  add.line("samples", [](auto& run) { return counts_text(run.facts->counts); });
  add("blocks", kBlocksMeaning, [](auto& run) { return run.facts->blocks; });
  add.lines([](auto& report, auto& run) {
    if (run.facts->blocks) report.line("read", run.facts->blocks->describe());
  });
  add("columns", [](auto& run) { return run.facts->columns; });
  add.line("columns", [](auto& run) { return columns_text(run.facts->columns, run.units); });
  add("total_weight", [](auto& run) { return run.facts->moments.total_weight(); });
  add.line("weights", [](auto& run) { return weights_text(run.facts->moments); });
  add("effective_samples", [](auto& run) { return run.facts->moments.effective_samples(); });
  add("cloud", [](auto& run) { return run.facts->moments; });
  add.lines([](auto& report, auto& run) { add_box(report, "cloud", run.facts->moments.bounds()); });
  add("kernel", [](auto& run) { return run.facts->kernel.function; });
  add.line("kernel", [](auto& run) { return kernel_text(*run.facts); });
  add.object("bandwidth", [](auto& part) {
    part("source", kSourceMeaning, [](auto& run) { return run.facts->bandwidth.source; });
    part("covariance", [](auto& run) { return OneAmong<kCovariances>{run.covariance}; });
    part("H", [](auto& run) { return run.facts->bandwidth.H; });
    part("half_extents", "of a kernel along x, y and z",
         [](auto& run) { return run.facts->kernel.half_extents(); });
    part("h", "null if H was given", [](auto& run) { return positive(run.facts->bandwidth.h); });
    part("silverman", "h of that rule if auto chose; else null",
         [](auto& run) { return positive(run.facts->bandwidth.silverman); });
    part("scored", "random samples that chose h for all; 0: all samples did",
         [](auto& run) { return run.facts->bandwidth.scored; });
    part("outlier_widening", "standard deviations of the samples, over the robust ones",
         [](auto& run) { return outlier_widening(run.facts->moments); });
  });
  add.lines(add_choice);
  add("adaptive",
      "adaptive bandwidths by Abramson's law; null if samples share one bandwidth, or `widths` "
      "were given",
      [](auto& run) { return run.facts->adaptive; });
  add.line("adaptive", adaptive_text);
  add("sharpened", kSharpenedMeaning, [](auto& run) { return run.facts->request.sharpen; });
  add.line("sharpened", [](auto& run) { return sharpened_text(run.facts->request.sharpen); });
  add.lines(add_shape);
  add("units", [](auto& run) { return known(run.units); });
  add("grid", [](auto& run) { return StoredGrid{run.facts->grid, run.facts->precision}; });
  add.lines(add_grid_lines);
  add("boundary", kBoundaryMeaning, [](auto& run) { return run.facts->boundaries; });
  add.line("boundary", [](auto& run) { return boundary_text(run.facts->boundaries); });
  add("cells", kCellsMeaning, [](auto& run) { return run.facts->request.cells; });
  add("mass_in_box", [](auto& run) { return run.facts->mass_in_box; });
  add.line("mass in box", mass_text);
  add("error_bound", kErrorMeaning, [](auto& run) { return run.facts->error_bound; });
  add.lines(add_values);
  add("measured_error", kMeasuredMeaning, [](auto& run) { return run.facts->measured; });
  add("unseen_mass", "mass of kernels that lie in the box and cover no cell centre",
      [](auto& run) { return run.facts->unseen_mass(); });
  add("normalization", [](auto& run) { return run.facts->normalization; });
  add("peak", [](auto& run) { return run.facts->peak; });
  add("standard_error", "null if it was not asked for", &DensityRun::standard_error);
  add.line("std. error", standard_error_text);
  add.object("plan", [](auto& part) {
    part("part_samples", "samples read at a time; 0: the cloud was in memory",
         [](auto& run) { return run.facts->memory.part_samples; });
    part("slabs", [](auto& run) { return run.facts->memory.slabs; });
    part("slab_slices", [](auto& run) { return run.facts->memory.slab_slices; });
  });
  add.object("engine", [](auto& part) {
    part("name", [](auto& run) { return run.facts->engine; });
    part("launch_policy", [](auto& run) { return run.facts->launch_policy; });
    part("updates", [](auto& run) { return run.facts->work.value().updates; });
    part("seconds", [](auto& run) { return run.facts->engine_seconds; });
    part("updates_per_second", [](auto& run) { return run.facts->updates_per_second(); });
    part("passed_over", "faster engines that do not fit into memory, the fastest first",
         [](auto& run) { return run.facts->rejected; });
  });
  add.lines(add_engine);
  add("stages", &DensityRun::stages);
  add("seconds", &DensityRun::seconds);
  add.lines(add_times);
  add("peak_memory", &DensityRun::peak_memory);
  add("warnings", [](auto& run) { return run.facts->warnings; });
  add_written(add);
}

DensityMetadata file_metadata(const DensityFacts& facts, const FileNotes& notes) {
  DensityMetadata metadata = describe(facts, notes.units);
  metadata.command_line = notes.command_line;
  metadata.version = notes.version;
  metadata.category = notes.category;
  metadata.category_share = notes.category_share;
  return metadata;
}

DensityFiles::DensityFiles(VolumeOutput* volume, PictureFile picture, FileNotes notes)
    : volume_(volume), picture_(std::move(picture)), notes_(std::move(notes)) {}

DensityFiles::~DensityFiles() = default;

std::int64_t DensityFiles::held_bytes(const Grid& grid, Precision precision) const {
  const std::int64_t kept = volume_ ? volume_->format().held_beyond(grid, precision) : 0;
  if (picture_.path.empty()) return kept;
  const std::int64_t whole = picture_.look.masses.empty() ? 0 : grid.bytes(precision);
  return kept + whole + MaximumProjector::held_bytes(grid.dims, precision) +
         picture_bytes(grid.dims);
}

void DensityFiles::expect(const Grid& grid, Precision precision) {
  Grid all = grid;
  if (notes_.standard_error) all.dims[2] *= 2;
  if (volume_ && !volume_->is_standard_output())
    volume_->format().require_room(volume_->path(), all, precision);
}

void DensityFiles::begin(const DensityFacts& facts) {
  nothing_to_clean_up_.reset();
  slices_ = facts.grid.dims[2];
  const StopWatch watch;
  const DensityMetadata metadata = file_metadata(facts, notes_);
  static_cast<void>(drawn_flips(picture_.look, metadata, facts.grid.bounds()));  // axes are known
  if (volume_ && notes_.standard_error) {
    auto fields = volume_->format().open_fields(volume_->path(), facts.grid, facts.precision,
                                                io::with_standard_errors({"density"}), metadata);
    fields_ = fields.get();
    writer_ = std::move(fields);
  } else if (volume_) {
    writer_ = volume_->open(facts.grid, facts.precision, metadata, facts.memory.is_whole());
  }
  if (!picture_.path.empty())
    projector_ = std::make_unique<MaximumProjector>(
        facts.grid.dims, metadata.values.empty() ? Extreme::greatest : Extreme::furthest);
  if (!picture_.look.masses.empty()) whole_.emplace(facts.grid, facts.precision);
  add_stages(stages_, {{"writing", watch.seconds()}});
}

void DensityFiles::take(std::int64_t z, const Volume& slices, Progress& progress) {
  const StopWatch writing;
  if (writer_) writer_->write(slices.value_span(), progress);
  add_stages(stages_, {{"writing", writing.seconds()}});
  if (z >= slices_) return;
  const StopWatch projecting;
  if (projector_) projector_->add(z, slices);
  if (whole_)
    std::visit(
        [&]<class Real>(std::span<const Real> values) {
          const auto before = z * slices.grid().dims[0] * slices.grid().dims[1];
          std::ranges::copy(values, whole_->values<Real>().begin() + before);
        },
        slices.value_span());
  if (projector_) add_stages(stages_, {{"picture", projecting.seconds()}});
}

void DensityFiles::finish(const DensityFacts& facts, Progress& progress) {
  const DensityMetadata metadata = file_metadata(facts, notes_);
  const StopWatch writing;
  if (fields_) io::describe_with_errors(*fields_, 0, metadata);
  if (writer_) {
    writer_->finish(metadata, progress);
    written_ = volume_->deliver(progress);
  }
  add_stages(stages_, {{"writing", writing.seconds()}});
  if (!projector_) return;
  const StopWatch drawing;
  const bool is_density = metadata.values.empty();
  ProjectionSheet sheet{is_density ? picture_title(metadata, facts.grid) + ", maximum projections"
                                   : "Sum of signed kernels, projections of extreme values",
                        {""},
                        {projector_->take_projections()}};
  sheet.marks.emplace_back();
  if (whole_) sheet.marks[0].lines = mass_lines(picture_.look, *whole_, metadata);
  if (picture_.samples) sheet.marks[0].samples = picture_.samples();
  const std::string lacked =
      write_projection_sheet(picture_.path, sheet, facts.grid, metadata, picture_.look);
  written_.push_back(written_picture(picture_.path, lacked, progress));
  if (drawn_flips(picture_.look, metadata, facts.grid.bounds())[2])
    written_.back().note = ", " + axis_name(metadata, 2) + " grows downwards";
  add_stages(stages_, {{"picture", drawing.seconds()}});
}

}  // namespace skde::cli
