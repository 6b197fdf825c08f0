#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "cli/results/report.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/scratch_file.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

class OptionTable;

/// A file that was written.
struct WrittenFile {
  std::string what;  ///< "volume", "description", "picture" or "curve"
  std::string path;
  std::int64_t bytes = 0;
  std::string note{};  ///< behind it in reports: ", depth grows downwards"
};
/// Describes an existing file.
WrittenFile written_file(const char* what, const std::string& path);
/// Describes a picture, and warns of the letters that its font lacks.
WrittenFile written_picture(const std::string& path, const std::string& lacked, Progress& progress);

/// Output of a volume: a path, or "-" for standard output. Writers seek back to the header, so for
/// standard output the volume is first written to a temporary file.
class VolumeOutput {
 public:
  /// Checks, before any work, that the volume can be written and overwrites no input. `format` is
  /// the name of the format; if empty, the path's extension decides, which standard output lacks.
  /// Throws Error(usage), Error(output), or Error(unsupported) if the build lacks the format.
  VolumeOutput(std::string output, std::string_view format, const std::vector<std::string>& read);

  const io::VolumeFormat& format() const { return *format_; }
  bool is_standard_output() const { return output_ == "-"; }
  /// Returns the files that will exist at the end; none for standard output.
  std::vector<std::string> written_paths() const;
  /// Returns the path to write to, prepared by the first call.
  const std::string& path();
  /// Names how the values are stored, and what open() may write to instead of the file; null: none.
  /// Throws Error(usage) if the format does not store them so.
  void store(io::ArrayValues values, io::ArrayStream* stream);
  /// Returns whether the writer needs the whole volume before it writes.
  bool keeps_all() const { return !format_->streams || values_ != io::ArrayValues::wide; }
  /// Begins the volume; `whole`: it comes as a whole, and all is known of it.
  std::unique_ptr<io::VolumeWriter> open(const Grid& grid, Precision precision,
                                         const DensityMetadata& metadata, bool whole);
  /// Called once the file is complete: copies it to standard output if it goes there, and returns
  /// the written files. Throws Error(output) or Error(cancelled).
  std::vector<WrittenFile> deliver(Progress& progress);

 private:
  std::string output_, path_;
  const io::VolumeFormat* format_;
  std::unique_ptr<io::ScratchFolder> spool_;
  io::ArrayValues values_ = io::ArrayValues::wide;
  io::ArrayStream* stream_ = nullptr;
};

/// Throws Error(usage) if files of a format hold one volume each, so that standard errors have no
/// place beside the density.
void require_several_volumes(const io::VolumeFormat& format, const std::string& path);

/// Adds --format.
void add_format_flag(OptionTable& table, std::string& format);
/// Adds the flags that name the volume to write, and its format.
void add_output_flags(OptionTable& table, std::string& output, std::string& format);
/// Adds one row per file, with its size.
void add_written(Report& report, const std::vector<WrittenFile>& written);
/// Adds the field "written" of a document.
template <class T>
void add_written(Fields<T>& add) {
  add("written", &T::written);
  add.lines([](Report& report, const T& result) { add_written(report, result.written); });
}
void add_fields(Fields<WrittenFile>& fields);
/// Returns true if the volume goes to standard output. A null pointer means that no volume is
/// written.
bool takes_standard_output(const VolumeOutput* output);

}  // namespace skde::cli
