#include "viewer/session/question_options.hpp"

#include <variant>

#include "cli/exit_code.hpp"

namespace skde::view {

void add_question_flags(cli::OptionTable& table, ViewState& state) {
  table.group("Questions");
  table.value({.name = "score",
               .value = "off|lscv|lcv",
               .help = "shows the curve of leave-one-out scores over h, least squares or "
                       "likelihood, and prints its best h, Silverman's and the plug-in's",
               .by_default = "off"},
              state.score, OneOf<ScoreShown>(kScoresShown));
}

void check_question_flags(const cli::ParsedFlags& flags, const ViewOptions& options) {
  const auto& given = options.state.density.bandwidth.bandwidth;
  const bool has_h =
      std::holds_alternative<BandwidthRule>(given) || std::holds_alternative<double>(given);
  if (flags.has("score") && options.state.score != ScoreShown::off && !has_h)
    cli::usage_error("--score needs a --bandwidth of one h or a rule, not lengths or a matrix");
}

}  // namespace skde::view
