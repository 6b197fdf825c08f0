#include "distributed/distributed_output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>
#include <variant>

#include "core/report/error.hpp"
#include "estimate/sum/merged_density.hpp"
#include "io/volumes/vtk/vti_markup.hpp"

namespace skde {
namespace {

std::array<char, 4096> name{};

void remove_it(int signal) {
  if (name[0] != '\0') unlink(name.data());
  _exit(128 + signal);
}

constexpr std::string_view kExtension = ".pvti";
constexpr const char* kArray = "density";

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  name.fill('\0');
  std::strncpy(name.data(), path.c_str(), name.size() - 1);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, remove_it);
}

UnfinishedFile::~UnfinishedFile() { name[0] = '\0'; }

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
