#pragma once

#include <string>

#include "core/report/words.hpp"

namespace skde::view {

/// How two densities A and B are shown: beside each other, as A - B, or as ln(A / B).
enum class CompareAs { side, difference, ratio };

inline constexpr Words<CompareAs, 3> kComparedAs{{{"side", CompareAs::side},
                                                  {"difference", CompareAs::difference},
                                                  {"ratio", CompareAs::ratio}}};

/// What the density that is shown, A, is compared with. B differs from A by one thing: its files
/// ("other.ply"), or "h=0.3", "kernel=gaussian", "where=year > 2000".
struct CompareState {
  std::string with{};  ///< empty: nothing
  CompareAs as = CompareAs::side;

  friend bool operator==(const CompareState&, const CompareState&) = default;
};

}  // namespace skde::view
