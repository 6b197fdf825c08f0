#include "viewer/session/view_history.hpp"

namespace skde::view {

void ViewHistory::note(const ViewState& state, bool settled) {
  if (!settled || (!states_.empty() && states_[at_] == state)) return;
  if (!states_.empty()) states_.resize(at_ + 1);
  states_.push_back(state);
  if (states_.size() > kMost) states_.pop_front();
  at_ = states_.size() - 1;
}

void ViewHistory::adapt(const ViewState& before, const ViewState& after) {
  if (states_.empty() || !(states_[at_] == before) || before == after) return;
  states_[at_] = after;
  // A change that failed leaves no step behind.
  if (at_ > 0 && states_[at_ - 1] == after && at_ + 1 == states_.size()) {
    states_.pop_back();
    --at_;
  }
}

}  // namespace skde::view
