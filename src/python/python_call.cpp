#include "python/python_call.hpp"

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>

namespace skde::python {
namespace {

std::atomic<std::uint64_t> interrupts{0};
struct sigaction python_action {};  // while a call of the main thread watches

extern "C" void on_interrupt(int number) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
  python_action.sa_handler(number);
}

/// Returns whether this is the main thread, the only one in which Python runs signal handlers.
bool is_main_thread() {
  static const unsigned long main =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == main;
}

std::atomic<pid_t> owner{0};  // of the threads of OpenMP and CUDA; 0: none

/// Throws Error(unsupported) in a fork of the process that runs these threads.
void require_own_process() {
  note_threads();
  if (owner != getpid())
    throw Error(ErrorKind::unsupported,
                "this process was forked from one that had used skde, whose threads it lacks",
                {{}, "start workers by multiprocessing's 'spawn' or 'forkserver'"});
}

thread_local bool is_showing = false;  // this thread is in a progress function

PyObject* error_types = nullptr;  // a function of Error's members that returns an exception

void raise_error(const Error& error) {
  if (error.kind() == ErrorKind::cancelled) {
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return;
  }
  const auto make = py::reinterpret_borrow<py::object>(error_types);
  const py::object raised =
      make(std::string(error_kind_name(error.kind())),
           python_text(suggestion_for_python(error.problem())), error.parameter(),
           python_text(suggestion_for_python(error.suggestion())));
  PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
}

}  // namespace

py::str python_text(std::string_view text) {
  PyObject* const made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

void note_threads() {
  pid_t none = 0;
  if (owner.compare_exchange_strong(none, getpid()))
    pthread_atfork(nullptr, nullptr, [] { omp_set_num_threads(1); });
}

void set_error_types(py::object types) {
  error_types = types.release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise_error(error);
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError, "the samples or values do not fit into memory");
    }
  });
}

CallProgress::CallProgress(py::object show) : show_(std::move(show)) {
  require_own_process();
  if (is_showing)
    throw Error(ErrorKind::usage, "a progress function must not call skde",
                {"progress", "compute after the call has returned"});
  interrupts_ = interrupts.load(std::memory_order_relaxed);
  if (!is_main_thread()) return;
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  const bool has_handler = (action.sa_flags & static_cast<int>(SA_SIGINFO)) == 0 &&
                           action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
                           action.sa_handler != on_interrupt;
  if (!has_handler) return;
  python_action = action;
  action.sa_handler = on_interrupt;
  watches_ = sigaction(SIGINT, &action, nullptr) == 0;
}

CallProgress::~CallProgress() {
  if (watches_) sigaction(SIGINT, &python_action, nullptr);
}

void CallProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  if (show_.is_none()) return;
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  unit_ = unit;
  total_ = total;
  shown_at_ = 0;
  call_show(0);
}

void CallProgress::update(std::uint64_t done) {
  if (show_.is_none()) return;
  const std::lock_guard lock(mutex_);
  call_show(done);
}

void CallProgress::call_show(std::uint64_t done) {
  constexpr double kInterval = 0.1;  // seconds
  const double now = watch_.seconds();
  if (failed_ || (shown_at_ > 0 && now < shown_at_ + kInterval)) return;
  shown_at_ = now;
  const py::gil_scoped_acquire acquired;
  is_showing = true;
  try {
    show_(stage_, done, total_, unit_);
  } catch (...) {
    failed_ = std::current_exception();
    stopped_ = true;
  }
  is_showing = false;
}

bool CallProgress::cancelled() const {
  return stopped_.load(std::memory_order_relaxed) ||
         (watches_ && interrupts.load(std::memory_order_relaxed) != interrupts_);
}

void CallProgress::rethrow() {
  if (failed_) std::rethrow_exception(failed_);
}

std::string suggestion_for_python(std::string_view suggestion) {
  return with_parameters(suggestion, [](std::string_view name, std::string_view value) {
    std::string shown(name);
    std::ranges::replace(shown, '-', '_');
    return value.empty() ? shown : shown + '=' + std::string(value);
  });
}

void show_warnings(const std::vector<Warning>& warnings) {
  if (warnings.empty()) return;
  const py::object warn = py::module_::import("skde._errors").attr("warn");
  for (const Warning& warning : warnings)
    warn(warning.kind, python_text(suggestion_for_python(warning.problem)),
         warning.advice.parameter, python_text(suggestion_for_python(warning.advice.suggestion)));
}

}  // namespace skde::python
