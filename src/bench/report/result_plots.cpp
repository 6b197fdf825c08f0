#include "bench/report/result_plots.hpp"

#include <iterator>
#include <utility>

namespace skde::bench {

std::vector<Plot> plots_of(const RunRecord& run, const std::string& baseline) {
  std::vector<Plot> plots = sweep_plots(run, baseline);
  for (std::vector<Plot> more : {roofline_plots(run), error_plots(run)})
    plots.insert(plots.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  return plots;
}

}  // namespace skde::bench
