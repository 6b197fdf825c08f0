#pragma once

#include <cstddef>
#include <deque>

#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// The states that the controls had, to go back and forth between. A change is recorded once the
/// user has let go of the control, so that a drag is one step.
class ViewHistory {
 public:
  static constexpr std::size_t kMost = 200;  ///< steps that are kept

  /// Records the state if it differs from the last one recorded and the user has `settled`. What
  /// was undone before can then no longer be redone.
  void note(const ViewState& state, bool settled);
  /// Takes a change that the user did not make, such as an axis that follows a new density, from
  /// `before` to `after`: no step is recorded.
  void adapt(const ViewState& before, const ViewState& after);
  /// Forgets all steps, as the files that they show cannot be opened again.
  void clear() { states_.clear(), at_ = 0; }

  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  /// Returns the state one step back or forth. Require can_undo() and can_redo().
  const ViewState& undo() { return states_[--at_]; }
  const ViewState& redo() { return states_[++at_]; }

 private:
  std::deque<ViewState> states_;
  std::size_t at_ = 0;  ///< the present state
};

}  // namespace skde::view
