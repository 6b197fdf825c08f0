#include "service/worker/points_file.hpp"

#include <algorithm>
#include <span>

#include "cli/options/density_options.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_writer.hpp"

namespace skde::service {
namespace {

/// Keeps every `stride`-th item; doubles the stride and thins the kept items whenever there are too
/// many.
class EvenChoice {
 public:
  explicit EvenChoice(std::size_t most) : most_(most) {}

  void add(const Samples& chunk) {
    const std::size_t count = chunk.xyz.size() / 3;
    for (std::size_t i = 0; i < count; ++i, ++seen_) {
      if (seen_ % stride_ != 0) continue;
      const double weight = chunk.weights.empty() ? 1 : chunk.weights[i];
      rows_.insert(rows_.end(),
                   {chunk.xyz[3 * i], chunk.xyz[3 * i + 1], chunk.xyz[3 * i + 2], weight});
      if (rows_.size() / 4 > most_) thin();
    }
  }
  const std::vector<double>& rows() const { return rows_; }

 private:
  void thin() {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows_.size() / 4; row += 2, ++kept)
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(4 * row), 4,
                  rows_.begin() + static_cast<std::ptrdiff_t>(4 * kept));
    rows_.resize(4 * kept);
    stride_ *= 2;
  }

  std::size_t most_, seen_ = 0, stride_ = 1;
  std::vector<double> rows_;
};

}  // namespace

void write_points(const std::vector<std::string>& arguments, Progress& progress) {
  DensityOptions options;
  CloudFiles& files = options.files;
  cli::OptionTable table("points", "", "");
  cli::add_density_fields(table, options, target::kCloud);
  const cli::ParsedFlags flags = table.parse(std::span(arguments).subspan(3));
  files.paths = {arguments[1]};
  cli::assume_widths(flags, files, options.request);
  io::CloudStream stream(files.paths, files.columns, files.non_finite, {.files = files.open});
  EvenChoice choice(WholeNumber(1, 10000000)(arguments[2]));
  Samples chunk;
  while (stream.read(chunk, std::size_t{1} << 18, progress)) {
    progress.throw_if_cancelled();
    choice.add(chunk);
  }
  io::PointWriter writer(arguments[0], choice.rows().size() / 4, {"x", "y", "z", "weight"});
  writer.write(std::span(choice.rows()));
  writer.finish();
}

}  // namespace skde::service
