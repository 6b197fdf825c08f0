#include "distributed/piece_output.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <utility>
#include <variant>

#include "estimate/sum/merged_density.hpp"
#include "io/volumes/vtk/vti_markup.hpp"

namespace skde {
namespace {

constexpr std::string_view kExtension = ".pvti";
constexpr const char* kArray = "density";

}  // namespace

bool is_in_pieces(const std::string& path) { return path.ends_with(kExtension); }

PieceOutput::PieceOutput(const RankGroup& ranks, std::string path, const PartialProblem& problem,
                         const DensityMetadata& metadata, std::int64_t z, std::int64_t slices)
    : path_(std::move(path)), grid_(problem.grid), precision_(problem.precision) {
  if (slices == 0) return;
  piece_ = std::make_unique<io::OutputFile>(piece_of(ranks.rank()));
  unfinished_ = std::make_unique<UnfinishedFile>(piece_->temporary());
  piece_->write(
      io::vti_piece_head(grid_, z, slices, precision_, kArray, io::fields_of(metadata, grid_)));
  const auto bytes =
      static_cast<std::uint64_t>(slices * grid_.dims[0] * grid_.dims[1] * value_bytes(precision_));
  piece_->write(&bytes, sizeof bytes);
}

void PieceOutput::write(const std::vector<std::int64_t>& sums, double factor) {
  if (!piece_) return;
  const auto slice = grid_.dims[0] * grid_.dims[1];
  for (auto first = sums.begin(); first != sums.end(); first += slice) {
    const Volume values =
        volume_of(slab_of(grid_, 0, 1), precision_, {first, first + slice}, factor);
    std::visit([&](const auto& numbers) { piece_->write(numbers.data(), numbers.size_bytes()); },
               values.value_span());
  }
  piece_->write(io::kVtiTail);
}

void PieceOutput::commit() {
  if (piece_) piece_->commit();
  unfinished_ = nullptr;
}

void PieceOutput::name_pieces(const std::vector<std::int64_t>& slices) const {
  std::vector<io::VtiPiece> pieces;
  for (std::size_t i = 0; i + 1 < slices.size(); i += 2) {
    if (slices[i + 1] == 0) continue;
    const std::string file = piece_of(static_cast<int>(i / 2));
    pieces.push_back({std::filesystem::path(file).filename().string(), slices[i], slices[i + 1]});
  }
  io::OutputFile file(path_);
  file.write(io::pvti_text(grid_, precision_, kArray, pieces));
  file.commit();
}

std::string PieceOutput::piece_of(int rank) const {
  return fmt::format("{}_{}.vti", path_.substr(0, path_.size() - kExtension.size()), rank);
}

}  // namespace skde
