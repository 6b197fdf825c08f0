#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/words.hpp"
#include "viewer/layers/space/readout_line.hpp"

namespace skde::view {

/// The score whose curve stands under the slider of h.
enum class ScoreShown { off, lscv, lcv };

inline constexpr Words<ScoreShown, 3> kScoresShown{
    {{"off", ScoreShown::off}, {"lscv", ScoreShown::lscv}, {"lcv", ScoreShown::lcv}}};

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

/// Two values of a column whose rows are compared, as the panel offers them.
struct CategoryChoice {
  std::string column{}, a{}, b{};
  std::vector<std::string> values{};  ///< of the column, the most frequent first
  std::string before{}, now{};  ///< conditions on the rows of A without the choice, and with it
};

/// What a background worker is doing.
struct WorkStatus {
  bool busy = false;
  std::string stage;            ///< empty while idle
  std::optional<double> share;  ///< of the stage that is done; none if unknown
};

/// What a fit has reached. Between fits, that of the last one.
struct FitStatus {
  bool busy = false;
  std::string stage{};  ///< for example "start"
  std::int64_t step = 0, steps = 0;
  std::vector<float> errors{};  ///< relative errors, in the order of the steps
};

/// What the panel shows of a comparison.
struct CompareFacts {
  std::string a{}, b{};              ///< what the densities are
  std::vector<ReadoutLine> lines{};  ///< its figures
  std::vector<std::string> notes{};  ///< of the comparison
  WorkStatus status{};
  std::string problem{};  ///< why there is no comparison; empty if there is no problem
};

}  // namespace skde::view
