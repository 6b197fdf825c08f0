#pragma once

#include <functional>
#include <optional>

#include "viewer/scene/view_scene.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/work/live_answers.hpp"

namespace skde::view {

/// What questions are about: the state that asks them, and what is shown.
struct Asked {
  ViewState& state;
  ViewScene& scene;
  const ViewState* shown;      ///< the state that the picture shows; null before the first density
  const ViewState* pictured;   ///< the state whose samples are shown; null if there is none
  bool holds_grid;             ///< the grid stays as it is while h is dragged
  std::optional<Box> holds{};  ///< a box that the density's box holds
};

/// What is computed beside the density that is shown: scores of bandwidths, the comparison with
/// another density, and the samples of both that are shown.
class ViewQuestions {
 public:
  /// `wake` may be empty; else another thread calls it when poll() has something new.
  explicit ViewQuestions(const std::function<void()>& wake)
      : score_(wake), comparison_(wake), points_(wake), points_of_b_(wake) {}

  /// Asks what is new.
  void update(const Asked& asked);
  /// Takes what is finished; returns true if there was something.
  bool poll(const Asked& asked);
  /// Waits for the score, the samples and the comparison of the last update. Throws the Error that
  /// prevents it, and Error(cancelled) once `cancelled` returns true.
  void wait(const Asked& asked, const std::function<bool()>& cancelled);
  void wait_for_points_of_b(const std::function<bool()>& cancelled) {
    points_of_b_.wait(cancelled);
  }
  /// Returns why samples could not be found, once.
  std::optional<Error> take_problem();

  ScoreFacts score() const { return score_.facts(); }
  CompareFacts comparison() const;
  /// Returns true while something is computed.
  bool busy() const { return score_.facts().status.busy || comparison_.status().busy; }
  /// Returns the box of the density that is compared, which the next density's box is to hold.
  const std::optional<Box>& box_of_b() const { return box_of_b_; }

 private:
  void update_comparison(const Asked& asked);
  void take(Comparison comparison, const Asked& asked);

  LiveScore score_;
  LiveComparison comparison_;
  CompareFacts compared_;
  LivePoints points_, points_of_b_;
  std::optional<Box> box_of_b_;
};

}  // namespace skde::view
