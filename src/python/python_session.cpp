#include "python/python_request.hpp"

#include <mutex>

#include "analysis/kernel_regression.hpp"
#include "analysis/standard_error.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"
#include "core/report/error.hpp"
#include "core/report/value_parsers.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_plan.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/point_table.hpp"
#include "python/python_call.hpp"
#include "python/python_density.hpp"
#include "system/host_memory.hpp"

namespace skde::python {
namespace {

/// A session for any number of threads, of which one computes at a time.
class PySession {
 private:
  template <class Work>
  auto run(py::object show, const Work& work) {
    return call_library(std::move(show), [&](Progress& progress) {
      const std::lock_guard lock(mutex_);
      return work(progress);
    });
  }

 public:
  explicit PySession(const py::dict& keywords)
      : options_(options_from(keywords, target::kCloud)),
        session_(SessionOptions{.memory_limit = options_.memory_limit, .resident = true}),
        names_widths_(keywords.contains("widths") || keywords.contains("width_form")) {}

  void open_arrays(const Doubles& xyz, const py::object& weights, const py::object& factors,
                   const py::object& shapes) {
    const OwnedSamples samples = samples_from(xyz, weights, factors, shapes);
    run(py::none(), [&](Progress&) {
      try {
        session_.open(
            make_cloud(samples.view, samples.owner, options_.files.columns.signed_weights));
      } catch (const Error& error) {  // arrays have other names here
        const std::string& name = error.parameter();
        throw Error(error.kind(), error.problem(),
                    {name == "xyz"      ? "samples"
                     : name == "shapes" ? "widths"
                                        : name,
                     error.suggestion()});
      }
      return 0;
    });
  }

  /// Unless widths are named, files of a mixture have them, and with `with_splats` those of splats.
  void open_files(const std::vector<std::string>& paths, bool with_splats, py::object show) {
    options_.files.paths = paths;
    run(std::move(show), [&](Progress& progress) {
      CloudFiles& files = options_.files;  // points have the middle of the samples
      if (!names_widths_) io::assume_gaussians(paths, with_splats, files.columns, files.open);
      io::settle_places(files.paths, files.columns, files.non_finite, files.open);
      session_.open(options_.files, progress);
      return 0;
    });
  }

  /// Whether the samples are Gaussians of a mixture or of splats.
  bool are_gaussians() const { return io::are_gaussians(options_.files.columns.widths); }
  bool is_volume() const { return !session_.cloud() && !options_.files.paths.empty(); }
  std::size_t size() const { return session_.cloud() ? session_.cloud()->points.size() : 0; }

  /// Returns the points of a file, (M, 3), by the columns and in the frame of the samples.
  py::array points_of(const std::string& path) {
    io::ColumnSelection columns;
    columns.skip = options_.files.columns.skip;
    columns.geographic = options_.files.columns.geographic;
    columns.coordinates = options_.files.columns.coordinates;
    std::vector<double> xyz = run(py::none(), [&](Progress& progress) {
      const io::PointTable table = io::read_point_table(path, columns, progress, {});
      std::vector<double> places;
      for (std::size_t row = 0; row < table.rows(); ++row)
        for (const double place : table.point(row)) places.push_back(place);
      return places;
    });
    const auto count = static_cast<py::ssize_t>(xyz.size() / 3);
    return array_of(std::move(xyz), {count, 3});
  }

  /// Returns a copy of the samples, (N, 3).
  py::array samples() const {
    const auto& cloud = session_.cloud();
    if (!cloud) throw Error(ErrorKind::usage, "no samples are open");
    const auto xyz = cloud->points.xyz;
    return array_of(std::vector<double>(xyz.begin(), xyz.end()),
                    {static_cast<py::ssize_t>(cloud->points.size()), 3});
  }

  PyDensity density(const py::dict& keywords, py::object show) {
    const DensityOptions options = options_from(keywords, target::kGrid | target::kErrors);
    PyDensity made{nullptr, nullptr, options.request};
    made.density = run(std::move(show), [&](Progress& progress) {
      if (options.standard_error) require_standard_error(options.request);
      auto density = std::make_shared<Density>(session_.compute(options.request, progress));
      made.cloud = session_.cloud();  // as it is for this kernel
      if (options.standard_error)
        made.errors = std::make_shared<Density>(
            density->facts(), density->metadata,
            BufferLease(std::make_unique<HostValues>(
                standard_errors(made.cloud, density->facts(), density->volume(),
                                options_.memory_limit, progress)
                    .first)));
      return density;
    });
    if (!options.units.empty()) made.density->metadata.units = options.units;
    show_warnings(made.density->facts().warnings);
    return made;
  }

  py::object plan(const py::dict& keywords) {
    const DensityOptions options = options_from(keywords, target::kGrid);
    const DensityPlan plan = run(
        py::none(), [&](Progress& progress) { return session_.plan(options.request, progress); });
    return object_from(cli::document_json(cli::PlanShown{plan, options_.files.paths}));
  }

  /// Returns (values, gradients or None).
  py::tuple evaluate(const py::dict& keywords, const Doubles& points, bool leave_one_out,
                     bool gradient, bool log, py::object show) {
    const DensityOptions options = options_from(keywords, target::kPoints);
    const TargetPoints targets = points_from(points);
    const auto count = static_cast<py::ssize_t>(targets.size());
    PointDensity found = run(std::move(show), [&](Progress& progress) {
      return session_.evaluate(options.request, targets, {leave_one_out, gradient, log}, progress);
    });
    show_warnings(found.facts.warnings);
    py::object gradients = py::none();
    if (gradient) gradients = array_of(std::move(found.gradients), {count, 3});
    return py::make_tuple(array_of(std::move(found.values), {count}), gradients);
  }

  /// Returns (means, deviations), each (M, columns).
  py::tuple smooth(const py::dict& keywords, const Doubles& points, const Doubles& values,
                   std::size_t columns, py::object show) {
    const DensityOptions options = options_from(keywords, target::kMeans);
    const TargetPoints targets = points_from(points);
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(targets.size()),
                                         static_cast<py::ssize_t>(columns)};
    KernelRegression found = with_parameter_as("value", "values", [&] {
      return run(std::move(show), [&](Progress& progress) {
        return kernel_regression(session_, options.request, targets,
                                 {values.data(), static_cast<std::size_t>(values.size())}, columns,
                                 progress);
      });
    });
    return py::make_tuple(array_of(std::move(found.means), shape),
                          array_of(std::move(found.deviations), shape));
  }

  /// Returns the mass of the kernels in a box, (mass, standard error, error).
  py::tuple mass_in(const py::dict& keywords, const std::array<double, 6>& v, py::object show) {
    const std::lock_guard lock(mutex_);
    return kernel_mass_in(session_.cloud(), options_from(keywords, target::kPoints).request,
                          Box{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}, std::move(show));
  }

  /// Returns a dict: h, H, source, and for data-driven rules the curve of (h, score).
  py::dict bandwidth(const py::dict& keywords, py::object show) {
    const DensityOptions options = options_from(keywords, target::kSearch);
    const DensityRequest& request = options.request;
    py::dict result;
    const auto& cloud = session_.cloud();
    if (!cloud) throw Error(ErrorKind::usage, "no samples are open");
    refuse_signed_weights(cloud->files.columns, "the choice of a bandwidth needs");
    Bandwidth chosen;
    py::list curve;
    if (is_scored(request.bandwidth)) {
      const auto room = static_cast<double>(memory_within(options_.memory_limit));
      const DataDrivenBandwidth found = run(std::move(show), [&](Progress& progress) {
        return data_driven_bandwidth(cloud->points, cloud->moments, request.data_driven(),
                                     request.data_driven_effort(room), progress);
      });
      chosen = found.bandwidth;
      for (const ScoredBandwidth& point : found.curve)
        curve.append(py::make_tuple(point.h, point.score));
      show_warnings(found.warnings);
    } else {
      chosen = select_bandwidth(cloud->moments, request.bandwidth, request.kernel);
    }
    result["h"] = chosen.h;
    result["H"] = array_of(chosen.H);
    result["source"] = chosen.source;
    result["curve"] = curve;
    return result;
  }

 private:
  DensityOptions options_;
  Session session_;
  std::mutex mutex_;
  bool names_widths_;  // when it was opened
};

/// Returns the indices of x, y and z among names of columns, or None.
std::optional<std::array<std::size_t, 3>> coordinate_columns(
    const std::vector<std::string>& names) {
  const io::NamedCoordinates found = io::coordinates_among(names);
  if (!found.xyz && !found.doubt.empty())
    throw Error(ErrorKind::input, found.doubt, {"columns", "name three with `columns`"});
  return found.xyz;
}

}  // namespace

void add_session(py::module_& module) {
  module.def("coordinate_columns", coordinate_columns);
  module.def("geographic_like", [](const std::string& given, const std::string& frame) {
    return call_library(py::none(), [&](Progress&) {
      io::Geographic geographic = io::parse_geographic(given);
      io::take_middle(geographic, frame);
      return io::geographic_text(geographic);
    });
  });
  module.def("smoothing_lengths", [](const std::string& column) -> py::object {
    const io::SmoothingLengths* const known = io::smoothing_lengths_named(column);
    if (known == nullptr) return py::none();
    return py::make_tuple(std::string(word_of(io::kWidthForms, known->form)), known->times);
  });
  module.def("width_scale", [](const std::string& form, const std::string& kernel) {
    return call_library(py::none(), [&](Progress&) {
      return io::width_scale(OneOf<io::WidthForm>(io::kWidthForms)(form),
                             KernelFunction::named(kernel).row(), "widths");
    });
  });
  py::class_<PySession>(module, "Session")
      .def(py::init<const py::dict&>())
      .def("open_arrays", &PySession::open_arrays)
      .def("open_files", &PySession::open_files)
      .def("size", &PySession::size)
      .def("is_volume", &PySession::is_volume)
      .def("are_gaussians", &PySession::are_gaussians)
      .def("points_of", &PySession::points_of)
      .def("samples", &PySession::samples)
      .def("density", &PySession::density)
      .def("plan", &PySession::plan)
      .def("evaluate", &PySession::evaluate)
      .def("mass_in", &PySession::mass_in)
      .def("smooth", &PySession::smooth)
      .def("bandwidth", &PySession::bandwidth);
}

}  // namespace skde::python
