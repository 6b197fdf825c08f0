#pragma once

#include <set>

#include "core/report/words.hpp"

namespace skde::view {

/// The tabs of the panels.
enum class Tab { none, density, look, questions, picture, data, method, numbers };

inline constexpr Words<Tab, 7> kTabs{{{"Density", Tab::density},
                                      {"Look", Tab::look},
                                      {"Questions", Tab::questions},
                                      {"Picture", Tab::picture},
                                      {"Data", Tab::data},
                                      {"Method", Tab::method},
                                      {"Numbers", Tab::numbers}}};

/// Which tab is shown, and which of them show what is behind "more".
struct ShownTabs {
  Tab chosen = Tab::density;
  std::set<Tab> more{};
};

/// Return and keep those of the last session, beside the recent view. They are a convenience:
/// errors count as no file.
ShownTabs load_shown_tabs();
void save_shown_tabs(const ShownTabs& tabs);

}  // namespace skde::view
