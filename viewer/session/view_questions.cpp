#include "viewer/session/view_questions.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "estimate/read/cloud.hpp"
#include "io/points/columns/geographic.hpp"
#include "viewer/session/density_controls.hpp"

namespace skde::view {

void ViewQuestions::update(const Asked& asked) {
  ViewScene& scene = asked.scene;
  const ViewState& state = asked.state;
  score_.update(state.score, scene.cloud(), state.density);
  if (asked.pictured != nullptr)
    points_.update(state.point_look, scene.cloud(), asked.pictured->within);
  const auto b = scene.compared.cloud();
  points_of_b_.update(state.point_look, b,
                      b && b == scene.cloud() ? asked.pictured->within : decltype(state.within)());
  show_points(scene, points_.result(), points_of_b_.result());
  update_comparison(asked);
}

void ViewQuestions::update_comparison(const Asked& asked) {
  ViewScene& scene = asked.scene;
  const ViewState* const shown = asked.shown;
  const WantedComparison wanted{asked.state.compare,
                                scene.has_density() ? scene.view.volume.version() : 0};
  if (!comparison_.is_new(wanted)) return;
  const bool compares = !wanted.compare.with.empty() && shown != nullptr;
  if (!compares) box_of_b_.reset();
  std::optional<Error> problem;
  if (compares) try {
      CompareJob job =
          compare_job(wanted.compare, shown->cloud, scene.cloud(), shown->density,
                      scene.time ? time_condition(shown->time.column, *scene.time) : "");
      job.like = {scene.density().grid(), scene.density().metadata.frame};
      io::take_middle(job.files.columns.geographic, job.like.frame);
      job.follows_samples = scene.cloud() && !asked.holds_grid && shown->time.column.empty() &&
                            !shown->density.gives_box();
      job.held = asked.holds;
      job.a = std::make_shared<const Volume>(scene.view.volume.texture().read_back());
      return comparison_.ask(wanted, std::move(job));
    } catch (const Error& error) {
      problem = error;
    }
  comparison_.ask(wanted, std::nullopt, std::move(problem));
  compared_ = {};
  scene.forget_compared(asked.state);
}

void ViewQuestions::take(Comparison comparison, const Asked& asked) {
  if (comparison.wider) return void(box_of_b_ = comparison.wider);  // the next density's holds it
  ViewScene& scene = asked.scene;
  const ViewState& shown = *asked.shown;
  const auto told_h = [](double h) { return h > 0 ? fmt::format("h = {:.4g}", h) : ""; };
  const std::string& with = asked.state.compare.with;
  compared_ = {.a = told_h(scene.density().metadata.h), .b = told_h(comparison.h)};
  const std::size_t equals = with.find('=');
  if (!with.starts_with("h=") && !with.starts_with("bandwidth=")) {
    if (with.starts_with("kernel=")) compared_.a = shown.density.kernel->name;
    if (with.starts_with("where=")) compared_.a = shown.cloud.columns.where;
    if (equals == with.npos)
      compared_.a = std::filesystem::path(shown.cloud.paths.front()).filename().string();
    compared_.b = with.substr((equals == with.npos ? with.rfind('/') : equals) + 1);
  }
  if (comparison.figures) compared_.lines = comparison_lines(*comparison.figures);
  compared_.notes = comparison.notes;
  if (!scene.cloud() && comparison.cloud)
    compared_.notes.emplace_back("B is estimated on the grid of the volume A");
  scene.show_compared(std::move(comparison), asked.state.compare.as, asked.state);
}

CompareFacts ViewQuestions::comparison() const {
  CompareFacts facts = compared_;
  facts.status = comparison_.status();
  if (comparison_.problem()) facts.problem = text_with_controls(*comparison_.problem());
  return facts;
}

bool ViewQuestions::poll(const Asked& asked) {
  const bool scored = score_.poll(), of_a = points_.poll(), pointed = points_of_b_.poll() || of_a;
  if (pointed) show_points(asked.scene, points_.result(), points_of_b_.result());
  const bool compared = comparison_.poll();
  if (const auto found = comparison_.take_result()) take(std::move(*found), asked);
  return scored || pointed || compared;
}

std::optional<Error> ViewQuestions::take_problem() {
  std::optional<Error> problem = points_.take_problem();
  return problem ? problem : points_of_b_.take_problem();
}

void ViewQuestions::wait(const Asked& asked, const std::function<bool()>& cancelled) {
  update(asked);
  score_.wait(cancelled);
  points_.wait(cancelled);
  comparison_.wait(cancelled);
  if (const auto found = comparison_.take_result()) take(std::move(*found), asked);
}

}  // namespace skde::view
