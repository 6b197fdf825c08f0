#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "system/stop_watch.hpp"

namespace skde::python {

namespace py = pybind11;

/// Returns a text that may hold bytes of a path that are no UTF-8, as Python has such paths.
py::str python_text(std::string_view text);

/// Notes that this process runs threads of OpenMP. A fork of it lacks them, and would wait for them
/// for ever, so it keeps to one.
void note_threads();

/// Runs work whose parameter `from` has the name `to` in Python.
template <class Work>
auto with_parameter_as(const std::string& from, const std::string& to, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw error.renaming(from, to);
  }
}

/// Sets the Python exceptions that errors of the library become: see skde/_errors.py.
void set_error_types(py::object types);

/// The progress of one call from Python. It notices Ctrl-C without the GIL, and calls a Python
/// function at most ten times a second. As in Python, Ctrl-C counts only in calls from the main
/// thread.
class CallProgress final : public Progress {
 public:
  /// `show` is a function show(stage, done, total, unit), or None. Throws Error(unsupported) in a
  /// process forked from one that had used skde, because its threads are gone. Throws Error(usage)
  /// within `show`, which would wait for itself.
  explicit CallProgress(py::object show);
  ~CallProgress() override;
  CallProgress(const CallProgress&) = delete;
  CallProgress& operator=(const CallProgress&) = delete;

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void update(std::uint64_t done) override;
  bool cancelled() const override;
  /// Rethrows an exception of `show`. Call it with the GIL.
  void rethrow();

 private:
  void call_show(std::uint64_t done);

  py::object show_;
  std::mutex mutex_;
  std::string stage_, unit_;
  std::uint64_t total_ = 0;
  double shown_at_ = 0;
  StopWatch watch_;
  std::exception_ptr failed_;
  std::atomic<bool> stopped_ = false;
  bool watches_ = false;
  std::uint64_t interrupts_ = 0;
};

/// Runs `work(progress)` without the GIL. Errors of the library become Python exceptions, and
/// Ctrl-C a KeyboardInterrupt.
template <class Work>
auto call_library(py::object show, const Work& work) {
  CallProgress progress(std::move(show));
  try {
    auto result = [&] {
      const py::gil_scoped_release released;
      return work(static_cast<Progress&>(progress));
    }();
    progress.rethrow();  // the work may have ended before it noticed
    return result;
  } catch (...) {
    progress.rethrow();
    throw;
  }
}

/// Shows each warning by warnings.warn(), as a skde.DensityWarning.
void show_warnings(const std::vector<Warning>& warnings);
/// "use smaller dims=": a suggestion with the keywords of Python for its parameters.
std::string suggestion_for_python(std::string_view suggestion);

}  // namespace skde::python
