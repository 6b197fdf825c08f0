#include "commands/splat_conversion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/output_path.hpp"
#include "commands/output/fit_files.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/point_reader.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "order/splat_order.hpp"

namespace skde::cli {
namespace {

Warning lost_masses(const std::string& input) {
  return {
      "masses",
      fmt::format("{}: its masses are not written: files of splats have opacities alone", input),
      {{}, "keep it for densities"}};
}

/// Warns that masses of a mixture are not kept.
void warn_of_masses(const std::string& input, std::vector<Warning>& warnings) {
  const io::SplatFormat* const format = io::splat_format_of(input);
  if (input == "-" || format != &io::splat_formats().back()) return;
  const auto reader = io::open_points(input, {});
  if (std::ranges::find(reader->columns().others, io::kMass) == reader->columns().others.end())
    return;
  warnings.push_back(lost_masses(input));
}

/// Writes the mixture of a table as splats, in the usual order of the format.
SplatConversion convert_mixture(const std::string& input, const std::string& output,
                                const std::string& order, Progress& progress) {
  const io::SplatFormat& format = *io::splat_format_of(output);
  const std::string usual(word_of(kSplatOrders, usual_splat_order(format.name)));
  if (!order.empty() && order != usual)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: the ellipsoids of a table are written in the order '{}'", input, usual),
        {"order", "drop it, or convert the table to .ply first"});
  const io::MixtureFile file = io::read_mixture(input, progress);
  write_fitted(output, file.mixture, file.facts, {}, progress);
  SplatConversion done{.splats = file.mixture.size(),
                       .bands = 0,
                       .order = usual,
                       .kept = std::string(format.quantisation),
                       .warnings = {}};
  if (io::loses_masses(output)) done.warnings.push_back(lost_masses(input));
  return done;
}

/// Warns if a few splats far from all others make the steps of all coordinates in .spz coarse.
void warn_of_far_splats(const io::SplatCloud& splats, std::vector<Warning>& warnings) {
  constexpr double kMuch = 8, kLargest = (1 << 23) - 1;
  constexpr std::size_t kOneIn = 100;
  std::vector<double> reach;
  for (std::size_t k = 0; k + 2 < splats.xyz.size(); k += 3)
    reach.push_back(std::max(
        {std::abs(splats.xyz[k]), std::abs(splats.xyz[k + 1]), std::abs(splats.xyz[k + 2])}));
  if (reach.size() < 2) return;
  const auto farthest = std::ranges::max_element(reach);
  const auto splat = farthest - reach.begin() + 1;
  const double most = *farthest;
  const std::size_t left_out = std::max<std::size_t>(1, reach.size() / kOneIn);
  const auto near = reach.end() - 1 - static_cast<std::ptrdiff_t>(left_out);
  std::ranges::nth_element(reach, near);
  if (!(most > kMuch * *near)) return;
  const auto step = [](double size) { return std::exp2(std::ceil(std::log2(size / kLargest))); };
  warnings.push_back(
      {"far_splats",
       fmt::format("splat {} is {:.3g} from the origin, which makes the steps of all "
                   "coordinates {:.2g}; without the {} farthest they are {:.2g}",
                   splat, most, step(most), left_out, step(*near)),
       {"output", "leave far splats out, or write .ply"}});
}

}  // namespace

bool writes_splats(const std::string& output) { return io::splat_format_of(output) != nullptr; }

SplatConversion convert_splats(const std::string& input, const std::string& output,
                               const std::string& order, Progress& progress) {
  const io::SplatFormat& format = io::splat_format_to_write(output);
  require_not_read(output, "-o", std::vector{input});
  require_writable(output, "-o");
  if (!writes_splats(input) && io::are_mixtures({input}, {}, {}))
    return convert_mixture(input, output, order, progress);
  progress.begin("reading " + input, 0, "splats");
  io::SplatCloud splats = io::read_splats(io::BufferedSource(io::open_source(input)));
  SplatOrder chosen = usual_splat_order(format.name);
  for (const auto& [word, meaning] : kSplatOrders)
    if (word == order) chosen = meaning;
  SplatConversion done{.splats = splats.size(),
                       .bands = std::min(splats.bands, format.most_bands),
                       .order = std::string(word_of(kSplatOrders, chosen)),
                       .kept = std::string(format.quantisation),
                       .warnings = {}};
  if (done.bands < splats.bands)
    done.warnings.push_back({"bands",
                             fmt::format("{}: {} of {} bands of harmonics are written: {} holds no "
                                         "more",
                                         output, done.bands, splats.bands, format.name),
                             {"output", "write .ply to keep all"}});
  warn_of_masses(input, done.warnings);
  if (!splats.note.empty())
    done.warnings.push_back({"extensions", fmt::format("{}: {}", input, splats.note), {}});
  if (splats.antialiased && !format.name.starts_with("spz"))
    done.warnings.push_back(
        {"antialiased",
         fmt::format(
             "{}: that the splats were trained antialiased is not written: {} cannot say it",
             output, format.name),
         {"output", "write .spz to keep it"}});
  if (format.name.starts_with("spz")) warn_of_far_splats(splats, done.warnings);
  if (chosen != SplatOrder::given) {
    const std::vector<std::uint32_t> rows = splat_order(splats, chosen, progress);
    splats = splat_rows(splats, rows);
  }
  io::write_splats(output, std::move(splats), progress);
  return done;
}

}  // namespace skde::cli
