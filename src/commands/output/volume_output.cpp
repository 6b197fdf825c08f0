#include "commands/output/volume_output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "cli/exit_code.hpp"
#include "cli/options/option_table.hpp"
#include "cli/outputs.hpp"
#include "cli/results/result_table.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::array<std::string_view, 13> kWrittenKinds{
    "volume", "description", "picture",      "mesh",    "table",   "array", "samples",
    "curve",  "points",      "partial sums", "moments", "mixture", "splats"};

void require_standard_output(std::string_view format) {
  if (format.empty())
    throw Error(ErrorKind::usage, "-o -: standard output has no extension to choose a format",
                {"format", "name one with `format`"});
  if (isatty(STDOUT_FILENO) == 1)
    throw Error(ErrorKind::output, "standard output: is a terminal, and a volume is not text",
                {{}, "redirect it to a file or a pipe"});
}

/// Copies a file to standard output.
void print_file(const std::string& path, Progress& progress) {
  const std::unique_ptr<io::ByteSource> file = io::open_source(path);
  std::vector<char> piece(kPieceBytes);
  std::uint64_t done = 0;
  progress.begin("writing standard output", file->size().value_or(0), "bytes");
  while (const std::size_t count = file->read(piece.data(), piece.size())) {
    progress.throw_if_cancelled();
    print({piece.data(), count});
    progress.update(done += count);
  }
}

}  // namespace

WrittenFile written_file(const char* what, const std::string& path) {
  return {what, path, static_cast<std::int64_t>(std::filesystem::file_size(path))};
}

WrittenFile written_picture(const std::string& path, const std::string& lacked,
                            Progress& progress) {
  progress.begin("writing", 0, "");  // nothing stands before the warning in its line
  if (!lacked.empty())
    print_warning("skde", {"letters", "the font lacks " + lacked + "; use letters of DejaVu Sans"});
  return written_file("picture", path);
}

VolumeOutput::VolumeOutput(std::string output, std::string_view format,
                           const std::vector<std::string>& read)
    : output_(std::move(output)) {
  if (is_standard_output()) require_standard_output(format);
  format_ = &io::volume_format_for(output_, format);
  if (!format_->unavailable.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: this build cannot write {}", output_, format_->name),
                {{}, std::string(format_->unavailable)});
  for (const std::string& path : written_paths()) {
    require_not_read(path, "-o", read);
    require_writable(path, "-o");
  }
}

std::vector<std::string> VolumeOutput::written_paths() const {
  if (is_standard_output()) return {};
  if (format_->companion.empty()) return {output_};
  return {output_, output_ + std::string(format_->companion)};
}

const std::string& VolumeOutput::path() {
  if (!path_.empty()) return path_;
  if (is_standard_output()) {
    spool_ = std::make_unique<io::ScratchFolder>();
    path_ = spool_->file(fmt::format("volume{}", format_->extension));
  } else {
    path_ = output_;
  }
  return path_;
}

void VolumeOutput::store(io::ArrayValues values, io::ArrayStream* stream) {
  if (values != io::ArrayValues::wide && !format_->open_array)
    throw Error(ErrorKind::usage,
                fmt::format("-o {}: a file of {} stores whole values", output_, format_->name),
                {"stored_as", "write an npy file, or leave out `stored_as`"});
  values_ = values;
  stream_ = stream;
}

std::unique_ptr<io::VolumeWriter> VolumeOutput::open(const Grid& grid, Precision precision,
                                                     const DensityMetadata& metadata, bool whole) {
  if (!whole || !format_->open_array) stream_ = nullptr;
  if (!stream_ && values_ == io::ArrayValues::wide)
    return format_->open(path(), grid, precision, metadata);
  return format_->open_array(path(), stream_, values_, grid, precision, metadata);
}

std::vector<WrittenFile> VolumeOutput::deliver(Progress& progress) {
  if (stream_) return {};
  std::vector<WrittenFile> written{written_file("volume", path())};
  const std::string companion = path() + std::string(format_->companion);
  if (!is_standard_output()) {
    if (companion != path()) written.push_back(written_file("description", companion));
    return written;
  }
  if (companion != path())
    print_warning("skde",
                  {"description", fmt::format("standard output: the description of {} files, with "
                                              "their grid, is a separate file and is not written",
                                              format_->name)});
  print_file(path(), progress);
  spool_.reset();
  written.front().path = "standard output";
  return written;
}

void require_several_volumes(const io::VolumeFormat& format, const std::string& path) {
  if (format.open_fields) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("-o {}: a file of {} holds only one volume, and the standard errors are a "
                  "second one",
                  path, format.name),
      {"standard_error", "write a vti or netcdf file"});
}

void add_format_flag(OptionTable& table, std::string& format) {
  std::vector<std::string> names;
  for (const io::VolumeFormat& known : io::volume_formats()) names.emplace_back(known.name);
  table.value({.name = "format",
               .value = "NAME",
               .help = "format of the volume, whatever its extension",
               .words = std::move(names),
               .local = true,
               .runs = ~run_kind::kPart},
              format);
}

void add_output_flags(OptionTable& table, std::string& output, std::string& format) {
  table.value({.name = "output",
               .value = "FILE",
               .help = "volume to write; its extension chooses the format, see 'skde formats'; - "
                       "is standard output and needs --format",
               .letter = 'o',
               .names_file = true},
              output);
  add_format_flag(table, format);
}

void add_written(Report& report, const std::vector<WrittenFile>& written) {
  for (const WrittenFile& file : written)
    report.line(file.what, fmt::format("{} ({}){}", file.path,
                                       format_bytes(static_cast<double>(file.bytes)), file.note));
}

void add_fields(Fields<WrittenFile>& add) {
  add.name("written");
  add("what", [](auto& file) { return OneAmong<kWrittenKinds>{file.what}; });
  add("path", &WrittenFile::path);
  add("bytes", &WrittenFile::bytes);
}

bool takes_standard_output(const VolumeOutput* output) {
  return output && output->is_standard_output();
}

}  // namespace skde::cli
