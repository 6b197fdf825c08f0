#include "distributed/slab_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <variant>

#include "core/report/error.hpp"
#include "estimate/sum/merged_density.hpp"

namespace skde {

SlabOutput::SlabOutput(const RankGroup& ranks, const std::string& path, const std::string& format,
                       const PartialProblem& problem, const DensityMetadata& metadata)
    : grid_(problem.grid), precision_(problem.precision) {
  const io::VolumeFormat& row = io::volume_format_for(path, format);
  if (!row.frame)
    throw Error(
        ErrorKind::unsupported,
        fmt::format("{}: several ranks cannot write the format {}", path, row.name),
        {"format", "use .vti, .nrrd, .npy or .nc; 'skde convert' converts these to others"});
  frame_ = row.frame(grid_, precision_, metadata);
  if (!row.companion.empty()) companion_path_ = path + std::string(row.companion);
  if (!ranks.is_first()) return;
  row.require_room(path, grid_, precision_);
  pending_ = std::make_unique<io::PendingPath>(path);
  unfinished_ = std::make_unique<UnfinishedFile>(pending_->temporary());
}

void SlabOutput::write(SharedFile& file, std::int64_t z, const std::vector<std::int64_t>& sums,
                       double factor) const {
  const auto slice = static_cast<std::uint64_t>(grid_.dims[0] * grid_.dims[1]);
  const auto bytes = static_cast<std::uint64_t>(value_bytes(precision_));
  std::uint64_t position = frame_.head.size() + static_cast<std::uint64_t>(z) * slice * bytes;
  for (std::size_t begin = 0; begin < sums.size(); begin += slice) {
    const auto first = sums.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::int64_t> one(first, first + static_cast<std::ptrdiff_t>(slice));
    const Volume values = volume_of(slab_of(grid_, 0, 1), precision_, one, factor);
    std::visit(
        [&](const auto& numbers) {
          file.write(position,
                     {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
        },
        values.value_span());
    position += slice * bytes;
  }
  if (!pending_) return;
  file.write(0, frame_.head);
  file.write(frame_.head.size() + static_cast<std::uint64_t>(grid_.bytes(precision_)), frame_.tail);
}

void SlabOutput::commit() {
  if (!pending_) return;
  if (!companion_path_.empty()) {
    io::OutputFile companion(companion_path_);
    companion.write(frame_.companion);
    companion.commit();
  }
  pending_->commit();
  unfinished_ = nullptr;
}

}  // namespace skde
