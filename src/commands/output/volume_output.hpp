#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "cli/results/any_table.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/scratch_folder.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

class OptionTable;

/// A file that was written.
struct WrittenFile {
  std::string what;  ///< "volume", "description", "picture" or "curve"
  std::string path;
  std::int64_t bytes = 0;
};
/// Of a file that is there.
WrittenFile written_file(const char* what, const std::string& path);

/// Where a command puts its volume: at a path, or for "-" on standard output. Formats go back to
/// their heads, so that for standard output the volume is made as a file first.
class VolumeOutput {
 public:
  /// Checks before any work that the volume can go there and overwrites none of the files that are
  /// read: Error(usage), Error(output), and Error(unsupported) where the build lacks the format.
  /// `format`: its name; empty: by the path's extension, which standard output has not.
  VolumeOutput(std::string output, std::string_view format, const std::vector<std::string>& read);

  const io::VolumeFormat& format() const { return *format_; }
  bool is_standard_output() const { return output_ == "-"; }
  /// The files that will stand there; none of standard output.
  std::vector<std::string> written_paths() const;
  /// The file to write, ready from the first call on.
  const std::string& path();
  /// To be called when that is complete: puts it on standard output where it goes there, and tells
  /// what was written. Error(output), Error(cancelled).
  std::vector<WrittenFile> deliver(Progress& progress);

 private:
  std::string output_, path_;
  const io::VolumeFormat* format_;
  std::unique_ptr<io::ScratchFolder> spool_;
};

/// Adds --format.
void add_format_flag(OptionTable& table, std::string& format);
/// The flags that name a volume to write, and its format.
void add_output_flags(OptionTable& table, std::string& output, std::string& format);
/// A row a file, with its size.
void add_written(Report& report, const std::vector<WrittenFile>& written);
/// Their field.
template <class T>
void add_written(Fields<T>& add) {
  add("written", &T::written);
  add.lines([](Report& report, const T& result) { add_written(report, result.written); });
}
void add_fields(Fields<WrittenFile>& fields);
/// `output` has standard output for its volume. Null: no volume was written.
bool takes_standard_output(const VolumeOutput* output);

}  // namespace skde::cli
