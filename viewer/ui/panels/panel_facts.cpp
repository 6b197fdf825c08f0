#include "viewer/ui/panels/panel_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/report_parts.hpp"
#include "cli/text/terminal_text.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_setup.hpp"
#include "io/bytes/byte_source.hpp"
#include "system/host_memory.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view {
namespace {

std::vector<ui::EngineFact> engine_facts() {
  std::vector<ui::EngineFact> facts;
  for (const EngineEntry& entry : engine_table())
    facts.push_back(
        {std::string(entry.traits.name), std::string(entry.traits.summary), entry.unavailable()});
  return facts;
}

/// Returns how the density was made: grid, path to the screen, engine and stage times.
std::vector<ReadoutLine> density_lines(const ViewSession& session) {
  const ViewScene& scene = session.scene;
  const Density& density = scene.density();
  const DensityFacts& made = density.facts();
  const DensityMetadata& told = density.metadata;
  const Vec3 cell = density.grid().spacing;
  std::vector<ReadoutLine> lines;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) lines.push_back({std::move(label), std::move(text)});
  };
  add("cell", fmt::format("{:.4g} \u00d7 {:.4g} \u00d7 {:.4g}", cell.x, cell.y, cell.z));
  if (scene.cloud()) {
    const Vec3 e = made.kernel.half_extents();
    add("half extents", fmt::format("{:.3g} \u00d7 {:.3g} \u00d7 {:.3g} cells", e.x / cell.x,
                                    e.y / cell.y, e.z / cell.z));
  }
  add("to the screen", scene.transfer.path());
  if (made.device == Device::cuda) add("because", scene.transfer.reason());
  add("engine", told.engine);
  if (told.error_bound > 0)
    add("accuracy", cli::accuracy_text(told.error_bound, told.measured_error, told.measured_cells));
  add("launch", made.launch_policy);
  for (const StageTime& stage : made.stages) add(stage.stage, cli::format_duration(stage.seconds));
  add("recompute", cli::format_duration(session.requests.recompute_seconds()));
  return lines;
}

void add_density(ViewSession& session, ui::PanelFacts& facts) {
  ViewScene& scene = session.scene;
  const Density& density = scene.density();
  if (session.state.sections.shown != SectionsShown::off ||
      session.state.layout == ViewLayout::slices)
    facts.at_sections = read_sections(scene, session.state).density;
  facts.peak = scene.view.volume.peak();
  facts.histogram = scene.view.volume.histogram();
  facts.masses = scene.view.volume.masses();
  const ProbeTexts texts = probe_texts(scene, session.state);
  facts.probe.columns = probe_columns(texts);
  for (const ProbeReading& pin : scene.pin_readings(session.state))
    facts.probe.rows.push_back(probe_row(pin, texts));
  if (scene.cloud()) {
    const Symmetric3& H = density.facts().kernel.H;
    facts.own_kernels = has_own_kernels(scene);
    facts.lengths = Vec3{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
  }
}

/// Returns the warnings with the controls that fix them. Warnings stored in a file stay unchanged.
std::vector<std::string> warnings_of(const Density& density) {
  const std::vector<Warning>& told = density.facts().warnings;
  std::vector<std::string> texts;
  if (std::ranges::all_of(told, [](const Warning& one) { return one.kind == "field"; }))
    texts = density.metadata.warnings;
  for (const Warning& warning : told) texts.push_back(text_with_controls(warning));
  return texts;
}

std::string dropped_rows(const io::CloudCounts& counts) {
  const std::uint64_t dropped = counts.dropped() + counts.left_out;
  if (dropped == 0) return "";
  std::string why;
  if (counts.non_finite > 0)
    why = cli::format_count(counts.non_finite) + " with NaN or an infinity";
  if (counts.zero_weight > 0)
    why += (why.empty() ? "" : ", ") + cli::format_count(counts.zero_weight) + " of weight 0";
  if (counts.zero_width > 0)
    why += (why.empty() ? "" : ", ") + cli::format_count(counts.zero_width) + " of width 0";
  if (counts.left_out > 0)
    why += (why.empty() ? "" : ", ") + cli::format_count(counts.left_out) + " by the condition";
  return fmt::format("{} of {} rows dropped: {}", cli::format_count(dropped),
                     cli::format_count(counts.rows), why);
}

/// Adds the known facts of samples that are not kept.
void add_stream(const ViewSession& session, ui::PanelFacts& facts) {
  facts.is_stream = true;
  if (!session.scene.has_density()) return;
  const DensityMetadata& about = session.scene.density().metadata;
  facts.samples = about.samples;
  facts.lengths = Vec3{std::sqrt(about.H.xx), std::sqrt(about.H.yy), std::sqrt(about.H.zz)};
}

/// Says which nested surfaces there are none of; empty if all are drawn.
std::string missing_surfaces(const ViewState& state, const ViewScene& scene) {
  if (state.mode != RenderMode::isosurface ||
      surfaces(state, scene.view.volume).size() == state.masses.size())
    return "";
  return fmt::format("The box holds {} of the mass; no surface holds more",
                     cli::format_share(scene.view.volume.masses()->in_box()));
}

/// Returns whether a clip leaves something of a box.
bool leaves_some(const Clip& clip, const Box& all) {
  Box box = all;
  if (clip.box)
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::max(box.lower[axis], clip.box->lower[axis]);
      box.upper[axis] = std::min(box.upper[axis], clip.box->upper[axis]);
    }
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner{(i & 1 ? box.upper : box.lower).x, (i & 2 ? box.upper : box.lower).y,
                      (i & 4 ? box.upper : box.lower).z};
    if (all.holds(corner) && clip.keeps(corner)) return true;
  }
  return false;
}

/// Says what was asked for outside the box, and what is seen instead; empty if all is inside.
std::string outside_box(const ViewState& state, const Box& box) {
  const Sections& sections = state.sections;
  const bool flat = sections.shown != SectionsShown::off || state.layout == ViewLayout::slices;
  std::string told;
  if (flat && sections.at && !box.holds(*sections.at))
    told = "the place of the slices is outside the box; they are drawn at the nearest place in it";
  if (!leaves_some(state.clip, box))
    told += (told.empty() ? "" : "; ") + std::string("the clip cuts away the whole box");
  return told;
}

/// Says which letters of the picture's texts the font lacks; empty if it has all.
std::string missing_letters(const ViewState& state, const ViewScene& scene) {
  const AxisTexts axes = scene.axis_texts(state);
  std::string texts = state.appearance.title + axes.units + axes.name(0) + axes.name(1) +
                      axes.name(2) + state.point_look.column + state.point_look.size_column;
  if (scene.draws_points(state))
    for (const PointCategory& category : scene.view.points.categories(state.point_look))
      texts += category.name;
  texts = ui::missing_letters(texts);
  return texts.empty() ? "" : "the font lacks " + texts;
}

/// Says which values of a volume cannot be drawn; empty if all can.
std::string undrawn_values(ViewScene& scene) {
  std::string told = scene.view.volume.invalid().describe();
  if (!scene.cloud() && !(scene.view.volume.peak() > 0))
    told += (told.empty() ? "" : "; ") + std::string("no value is above 0, so nothing is drawn");
  return told;
}

/// Says that the picture has fewer cells than the density; empty if it has all.
std::string drawn_reduced(const ViewScene& scene) {
  const auto& [x, y, z] = scene.transfer.reduction();
  if (x * y * z == 1) return "";
  const auto& [nx, ny, nz] = scene.density().grid().dims;
  const auto& [mx, my, mz] = scene.view.volume.texture().grid().dims;
  return fmt::format(
      "drawn with {} \u00d7 {} \u00d7 {} cells, the means of {} \u00d7 {} \u00d7 {}: the graphics "
      "card "
      "has no room for {} \u00d7 {} \u00d7 {}",
      mx, my, mz, x, y, z, nx, ny, nz);
}

void add_notes(ViewSession& session, ui::PanelFacts& facts) {
  ViewScene& scene = session.scene;
  facts.warnings = warnings_of(scene.density());
  if (std::string told = drawn_reduced(scene); !told.empty())
    facts.warnings.push_back(std::move(told));
  facts.notes = picture_warnings(session);
  facts.values = ui::density_quantity(scene.density().metadata.normalization, facts.axes.units);
  const io::CloudCounts& counts = scene.density().facts().counts;
  if (const std::string note = dropped_rows(counts); !note.empty() && counts.non_finite == 0)
    facts.notes.push_back(note);
}

void add_samples(ViewSession& session, ui::PanelFacts& facts) {
  const SampleCloud& cloud = *session.scene.cloud();
  facts.samples = cloud.points.size();
  facts.columns = cloud.columns.others;
  if (session.state.selection) {
    const SelectionFacts& selected =
        session.scene.view.points.selected(*session.state.selection, session.state.clip);
    facts.selected =
        fmt::format("{} of {} samples, {} of the mass", cli::format_count(selected.samples),
                    cli::format_count(cloud.points.size()), cli::format_share(selected.share));
  }
  if (session.scene.view.points.shown())
    facts.shown_points = session.scene.view.points.shown()->samples.size();
  facts.suggested = suggest_bandwidths(cloud.moments, session.state.density.bandwidth,
                                       session.state.density.kernel);
  const SampleSlices* const slices = session.scene.method.slices();
  if (slices == nullptr) return;
  facts.slices = slices->z;
  if (slices->slices.empty()) return;
  const double at =
      session.state.slice >= 0 ? static_cast<double>(session.state.slice) : slices->position.z;
  const std::size_t slice = slices->nearest(at);
  facts.slice = slices->slices[slice].z;
  facts.readout = method_readout(*slices, slice);
}

std::vector<ReadoutLine> fit_lines(const FitFacts& facts) {
  return {{"ellipsoids", cli::format_count(facts.members)},
          {"relative error", cli::format_share(facts.relative_error)},
          {"largest error", cli::format_share(facts.largest_error) + " of the peak"},
          {"PSNR", fmt::format("{:.1f} dB", facts.psnr)},
          {"mass", fmt::format("{} of {}", cli::format_value(facts.mass),
                               cli::format_value(facts.given_mass))},
          {"time", fmt::format("{}, {} steps", cli::format_duration(facts.seconds),
                               cli::format_count(static_cast<std::uint64_t>(facts.steps)))},
          {"method", facts.engine}};
}

void add_mixture(const ViewSession& session, ui::MixtureFacts& facts) {
  const ViewScene& scene = session.scene;
  facts.members = scene.view.ellipsoids.members().size();
  const std::int64_t chosen = session.state.member;
  if (chosen >= 0 && chosen < static_cast<std::int64_t>(facts.members))
    facts.chosen =
        member_readout(scene.view.ellipsoids.members(), static_cast<std::size_t>(chosen));
  if (scene.has_density()) facts.cells = static_cast<std::size_t>(scene.density().grid().cells());
  facts.fit = session.fit.status();
  if (session.fit.last()) facts.result = fit_lines(session.fit.last()->facts);
}

void add_files(const ViewSession& session, ui::PanelFacts& facts) {
  ui::FileFacts& files = facts.file_facts;
  if (const ViewFailure* const failure = session.failures.first()) {
    files.remedies = failure->remedies;
    files.columns = failure->columns;
  }
  files.can_reload = !session.state.cloud.paths.empty() && !reads_input(session.state);
  files.has_samples = session.scene.cloud() != nullptr;
  files.has_density = session.scene.has_density();
  files.stream_paused = session.requests.paused();
  files.stream_ended = session.follows_stream() && session.requests.status().stream_ended;
  if (!files.has_density) return;
  for (const Warning& warning : session.scene.density().facts().warnings)
    for (Remedy& remedy : remedies(warning.advice, session.state))
      if (std::ranges::count(files.warning_remedies, remedy) == 0)
        files.warning_remedies.push_back(std::move(remedy));
}

/// Describes what the picture shows until the next density, if that is something else; else returns
/// an empty string.
std::string meanwhile(const ViewSession& session) {
  if (!session.scene.has_density() && session.scene.cloud())
    return fmt::format("Computing the first density of {} samples",
                       cli::format_count(session.scene.cloud()->points.size()));
  if (!session.is_behind()) return "";
  const ViewState& shown = *session.shown();
  const DensityMetadata& metadata = session.scene.density().metadata;
  const auto& [nx, ny, nz] = session.scene.density().grid().dims;
  std::string text = "The picture still shows ";
  if (shown.cloud.paths != session.state.cloud.paths)
    text += std::filesystem::path(shown.cloud.paths.front()).filename().string() + ": ";
  if (metadata.h > 0) text += fmt::format("h = {:.4g}, ", metadata.h);
  return text + fmt::format("{} \u00d7 {} \u00d7 {} cells", nx, ny, nz);
}

}  // namespace

std::vector<std::string> picture_warnings(ViewSession& session) {
  ViewScene& scene = session.scene;
  std::vector<std::string> told{missing_surfaces(session.state, scene),
                                outside_box(session.state, scene.density().grid().bounds()),
                                undrawn_values(scene), missing_letters(session.state, scene)};
  if (const io::CloudCounts& counts = scene.density().facts().counts; counts.non_finite > 0)
    told.push_back(dropped_rows(counts));
  std::erase(told, "");
  return told;
}

ui::PanelFacts facts_of(ViewSession& session, const std::string& renderer) {
  static const std::vector<ui::EngineFact> kEngines = engine_facts();  // asks the driver only once
  ui::PanelFacts facts;
  facts.files = (session.shown() ? *session.shown() : session.state).cloud.paths;
  std::ranges::transform(facts.files, facts.files.begin(), io::source_name);
  facts.engines = kEngines;
  facts.error = session.failures.text();
  facts.axes = session.scene.axis_texts(session.state);
  if (const Grid* const grid = session.scene.grid()) {
    facts.grid = *grid;
    facts.frame = session.scene.view.frame();
  }
  if (session.scene.h() > 0) facts.h = session.scene.h();
  if (session.scene.has_density()) {
    add_density(session, facts);
    add_notes(session, facts);
  }
  if (session.scene.cloud()) add_samples(session, facts);
  if (session.follows_stream()) add_stream(session, facts);
  add_files(session, facts);
  add_mixture(session, facts.mixture);
  facts.score = session.questions.score();
  facts.compare = session.comparison();
  facts.time = session.scene.time;
  facts.is_volume_file = session.scene.has_density() && !session.scene.cloud() && !facts.is_stream;
  const WorkerStatus status = session.requests.status();
  if (status.busy)
    facts.progress = {status.stage, status.share, session.requests.busy_seconds(),
                      meanwhile(session)};
  std::vector<ReadoutLine>& lines = facts.statistics;
  if (session.scene.has_density()) lines = density_lines(session);
  lines.push_back({"raymarching", cli::format_duration(session.scene.view.volume.march_seconds())});
  lines.push_back({"host memory", format_bytes(static_cast<double>(peak_memory()))});
  if (const auto bytes = session.scene.transfer.device_bytes())
    lines.push_back({"device memory", format_bytes(*bytes)});
  if (!renderer.empty()) lines.push_back({"renderer", renderer});
  return facts;
}

}  // namespace skde::view
