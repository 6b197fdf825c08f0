#include "python/python_density.hpp"

#include <optional>

#include "analysis/comparison_volumes.hpp"
#include "analysis/density_comparison.hpp"
#include "analysis/density_sampler.hpp"
#include "analysis/isosurface.hpp"
#include "analysis/mass_levels.hpp"
#include "analysis/volume_planes.hpp"
#include "cli/results/result_table.hpp"
#include "commands/output/comparison_report.hpp"
#include "commands/output/density_output.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/error.hpp"
#include "core/version.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_fields.hpp"
#include "python/device_arrays.hpp"
#include "python/python_call.hpp"
#include "python/python_request.hpp"
#include "system/host_memory.hpp"

namespace skde::python {

const Volume& volume_of(const PyDensity& self) {
  static std::mutex one_copies;
  const py::gil_scoped_release released;
  const std::lock_guard lock(one_copies);
  return self.density->volume();
}

Grid grid_from(const py::dict& grid) {
  const auto triple = [&](const char* key) {
    const auto [x, y, z] = grid[key].cast<std::array<double, 3>>();
    return Vec3{x, y, z};
  };
  return {triple("lower"), triple("spacing"), grid["dims"].cast<std::array<std::int64_t, 3>>()};
}

py::array draws_of(const std::shared_ptr<const SampleCloud>& cloud, const DensityRequest& request,
                   std::uint64_t count, std::uint64_t seed, py::object show) {
  std::vector<double> xyz = call_library(std::move(show), [&](Progress& progress) {
    std::vector<double> drawn;
    drawn.reserve(3 * count);
    DensitySampler(cloud, request, seed, progress)
        .draw_each(
            count,
            [&](const Samples& some) {
              drawn.insert(drawn.end(), some.xyz.begin(), some.xyz.end());
            },
            progress);
    return drawn;
  });
  return array_of(std::move(xyz), {static_cast<py::ssize_t>(count), 3});
}

DensityRequest settled(const PyDensity& self) {
  const DensityMetadata& about = self.density->metadata;
  DensityRequest request = self.request;
  if (is_positive_definite(about.H)) request.bandwidth = {.bandwidth = about.H};
  request.like.reset();
  request.grid = {};
  if (has_boundary(request.boundaries)) request.grid.bounds = self.density->grid().bounds();
  return request;
}

namespace {

/// (nz, ny, nx), read-only.
py::array values_of(const PyDensity& self) {
  const Volume& volume = volume_of(self);
  const auto& dims = volume.grid().dims;
  auto* const kept = new std::shared_ptr<Density>(self.density);
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::shared_ptr<Density>*>(p); });
  py::array array = std::visit(
      [&](const auto& values) -> py::array {
        using Real = typename std::remove_cvref_t<decltype(values)>::value_type;
        return py::array_t<Real>({dims[2], dims[1], dims[0]}, values.data(), owner);
      },
      volume.value_span());
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::object errors_of(const PyDensity& self) {
  if (!self.errors) return py::none();
  return values_of({self.errors, nullptr});
}

py::dict grid_of(const Grid& grid) {
  py::dict dict;
  dict["lower"] = py::make_tuple(grid.lower.x, grid.lower.y, grid.lower.z);
  dict["spacing"] = py::make_tuple(grid.spacing.x, grid.spacing.y, grid.spacing.z);
  dict["dims"] = py::make_tuple(grid.dims[0], grid.dims[1], grid.dims[2]);
  return dict;
}

py::list metadata_of(const PyDensity& self) {
  py::list rows;
  for (const io::VolumeField& field : io::fields_of(self.density->metadata, self.density->grid())) {
    if (const auto* text = std::get_if<std::string>(&field.value))
      rows.append(py::make_tuple(field.name, python_text(*text)));
    else
      rows.append(py::make_tuple(field.name, std::get<std::vector<double>>(field.value)));
  }
  return rows;
}

/// Returns copies of the samples, (xyz, weights, factors, shapes), each of which may be None; None
/// if there are no samples.
py::object samples_of(const PyDensity& self) {
  if (!self.cloud) return py::none();
  const SamplesView& points = self.cloud->points;
  const auto count = static_cast<py::ssize_t>(points.size());
  const auto column = [&](std::span<const double> numbers, py::ssize_t columns) -> py::object {
    if (numbers.empty()) return py::none();
    std::vector<py::ssize_t> shape{count};
    if (columns > 1) shape.push_back(columns);
    return array_of(std::vector<double>(numbers.begin(), numbers.end()), std::move(shape));
  };
  return py::make_tuple(column(points.xyz, 3), column(points.weights, 1),
                        column(points.bandwidth_factors, 1), column(points.shapes, 6));
}

/// Returns a density from what metadata_of(), values_of() and samples_of() return, and the keywords
/// of its request.
PyDensity density_from(const py::array& values, const py::dict& grid, const py::list& metadata,
                       const py::object& samples, const py::dict& keywords,
                       const py::object& errors) {
  note_threads();
  const Grid cells = grid_from(grid);
  if (values.size() != cells.cells())
    throw Error(ErrorKind::usage, "values must have the shape (nz, ny, nx) of the grid",
                {"values", {}});
  const auto copied = [&]<class Real>(Real) {
    const auto array = py::array_t<Real, py::array::c_style | py::array::forcecast>::ensure(values);
    if (!array) throw py::error_already_set();
    return Volume(cells, std::vector<Real>(array.data(), array.data() + array.size()));
  };
  Volume volume = values.dtype().itemsize() == sizeof(float) ? copied(float{}) : copied(double{});
  io::VolumeFields fields;
  for (const py::handle& row : metadata) {
    const auto pair = py::reinterpret_borrow<py::tuple>(row);
    if (py::isinstance<py::str>(pair[1]))
      fields.push_back({pair[0].cast<std::string>(), pair[1].cast<std::string>()});
    else
      fields.push_back({pair[0].cast<std::string>(), pair[1].cast<std::vector<double>>()});
  }
  DensityFacts facts;
  facts.grid = cells;
  facts.precision = volume.precision();
  facts.peak = volume.maximum();
  PyDensity made;
  DensityMetadata about = io::metadata_from(fields);
  if (!samples.is_none()) {
    const auto [xyz, weights, factors, shapes] =
        samples.cast<std::tuple<Doubles, py::object, py::object, py::object>>();
    OwnedSamples owned = samples_from(xyz, weights, factors, shapes);
    made.cloud = make_cloud(owned.view, std::move(owned.owner));
    made.request = options_from(keywords, target::kGrid | target::kErrors).request;
    facts.request = made.request;
    facts.kernel = {about.kernel, about.H};
    facts.moments = made.cloud->moments;
    facts.normalization = about.normalization;
    facts.mass_in_box = about.mass_in_box;
    facts.boundaries = made.request.boundaries;
    if (made.request.adaptive) facts.adaptive.emplace();
  }
  made.density =
      std::make_shared<Density>(std::move(facts), std::move(about),
                                BufferLease(std::make_unique<HostValues>(std::move(volume))));
  if (!errors.is_none())
    made.errors = density_from(errors, grid, metadata, py::none(), keywords, py::none()).density;
  return made;
}

/// Returns the density at points, (M,), summed over the samples in double.
py::array at(const PyDensity& self, const Doubles& points, py::object show) {
  DensityRequest request = settled(self);
  request.precision = Precision::f64;
  if (!request.is_automatic()) request.device = engine_entry(request.engine).traits.device;
  request.engine.clear();  // which may serve grids alone
  double share = 1;        // of the mass, which the values are divided by
  if (request.normalization == Normalization::box) {
    share = self.density->metadata.mass_in_box;
    request.normalization = Normalization::density;
  }
  const TargetPoints targets = points_from(points);
  PointDensity found = call_library(std::move(show), [&](Progress& progress) {
    const std::lock_guard lock(self.sums->mutex);
    Session& session = self.sums->session;
    if (!session.cloud()) session.open(self.cloud);
    return session.evaluate(request, targets, {}, progress);
  });
  show_warnings(found.facts.warnings);
  for (double& value : found.values) value /= share;
  return array_of(std::move(found.values), {static_cast<py::ssize_t>(targets.size())});
}

py::object summary_of(const PyDensity& self) {
  cli::DensityRun run;
  const DensityFacts& facts = self.density->facts();
  run.facts = &facts;
  const BandwidthSpec& spec = facts.request.bandwidth;
  run.covariance = spec.covariance ? "given" : std::string(word_of(kCovarianceForms, spec.form));
  run.units = self.density->metadata.units;
  run.stages = facts.stages;
  run.seconds = facts.seconds;
  run.peak_memory = peak_memory();
  return object_from(cli::document_json(run));
}

py::list levels_of(const PyDensity& self, const std::vector<double>& masses, py::object show) {
  const Volume& volume = volume_of(self);
  const auto levels = call_library(std::move(show), [&](Progress& progress) {
    const DensityMass mass = density_mass(volume, self.density->metadata);
    return mass_levels(volume, masses, mass.whole_of_cells(), progress);
  });
  py::list list;
  for (const MassLevel& level : levels)
    list.append(py::make_tuple(level.mass, level.level, level.volume, level.held));
  return list;
}

py::array vectors_array(const std::vector<Vec3>& vectors) {
  std::vector<double> flat;
  flat.reserve(3 * vectors.size());
  for (const Vec3& v : vectors) flat.insert(flat.end(), {v.x, v.y, v.z});
  return array_of(std::move(flat), {static_cast<py::ssize_t>(vectors.size()), 3});
}

py::dict surface_of(const PyDensity& self, std::optional<double> level, std::optional<double> mass,
                    py::object show) {
  const Volume& volume = volume_of(self);
  const Isosurface surface = call_library(std::move(show), [&](Progress& progress) {
    if (level) return isosurface(volume, *level, progress);
    const DensityMass whole = density_mass(volume, self.density->metadata);
    return mass_surface(volume, *mass, whole.whole, progress);
  });
  const auto& triangles = surface.mesh.triangles;
  py::array_t<std::uint32_t> indices({static_cast<py::ssize_t>(triangles.size()), py::ssize_t{3}});
  std::copy_n(triangles.empty() ? nullptr : triangles.front().data(), 3 * triangles.size(),
              indices.mutable_data());
  py::dict dict;
  dict["vertices"] = vectors_array(surface.mesh.points);
  dict["normals"] = vectors_array(surface.mesh.normals);
  dict["triangles"] = indices;
  dict["level"] = surface.level;
  dict["volume"] = surface.volume;
  dict["mass"] = surface.mass;
  return dict;
}

py::array plane_array(const Projection& projection) {
  return array_of(projection.values, {projection.height, projection.width});
}

py::array sample(const PyDensity& self, std::uint64_t count, std::uint64_t seed, py::object show) {
  if (!self.cloud)
    throw Error(ErrorKind::usage,
                "a density that was read from a volume has no samples to draw from",
                {{}, "estimate it from its samples"});
  return draws_of(self.cloud, settled(self), count, seed, std::move(show));
}

/// `resampled` names the density, "A" or "B", that is first resampled to the grid of the other; it
/// may be empty.
py::object comparison_of(const PyDensity& a, const PyDensity& b, bool normalize,
                         const std::string& resampled) {
  const Volume &of_a = volume_of(a), &of_b = volume_of(b);
  call_library(py::none(), [&](Progress&) {
    require_one_frame(a.density->metadata.frame, "a", b.density->metadata.frame, "b");
    return 0;
  });
  std::optional<ResampledDensity> moved;
  cli::ComparisonRun run;
  if (!resampled.empty() && !have_same_cells(of_a.grid(), of_b.grid())) {
    const bool is_a = resampled == "A";
    moved = call_library(py::none(), [&](Progress&) {
      return resampled_onto(is_a ? of_a : of_b, (is_a ? of_b : of_a).grid(), is_a ? "a" : "b");
    });
    run.resampled = cli::ResampledFacts{is_a ? "a" : "b", moved->mass_before, moved->mass_after,
                                        moved->mass_inside};
  }
  const Volume& first = moved && resampled == "A" ? moved->volume : of_a;
  const Volume& second = moved && resampled == "B" ? moved->volume : of_b;
  run.path_a = "a";
  run.path_b = "b";
  run.grid = first.grid();
  run.precision = first.precision();
  run.units = a.density->metadata.units;
  run.found = call_library(py::none(), [&](Progress&) {
    return compare_densities({first, "a"}, {second, "b"}, normalize);
  });
  run.warnings = comparison_warnings(run.found);
  show_warnings(run.warnings);
  return object_from(cli::document_json(run));
}

void save(const PyDensity& self, const std::string& path, py::object show) {
  self.density->metadata.version = kVersion;
  call_library(std::move(show), [&](Progress& progress) {
    Density& density = *self.density;
    if (!self.errors) {
      density.write(path, progress);
      return 0;
    }
    const io::VolumeFormat& format = io::volume_format_for(path);
    cli::require_several_volumes(format, path);
    const auto writer = format.open_fields(path, density.grid(), density.volume().precision(),
                                           io::with_standard_errors({"density"}), density.metadata);
    writer->write(density.volume().value_span(), progress);
    writer->write(self.errors->volume().value_span(), progress);
    io::describe_with_errors(*writer, 0, density.metadata);
    writer->finish(density.metadata, progress);
    return 0;
  });
}

}  // namespace

void add_density(py::module_& module) {
  py::class_<PyDensity> density(module, "Density");
  density.def_property_readonly("values", values_of)
      .def_property_readonly("standard_error", errors_of)
      .def_property_readonly("grid",
                             [](const PyDensity& self) { return grid_of(self.density->grid()); })
      .def_property_readonly(
          "H", [](const PyDensity& self) { return array_of(self.density->metadata.H); })
      .def_property_readonly("metadata", metadata_of)
      .def_property_readonly("summary", summary_of)
      .def_property_readonly("plan",
                             [](const PyDensity& self) {
                               const cli::PlanShown shown{self.density->facts()};
                               return object_from(cli::document_json(shown));
                             })
      .def_property_readonly("has_samples",
                             [](const PyDensity& self) { return self.cloud != nullptr; })
      .def("levels", levels_of)
      .def("surface", surface_of)
      .def("projection",
           [](const PyDensity& self, int axis, bool maximum) {
             const Volume& volume = volume_of(self);
             return plane_array(maximum ? line_maxima(volume, axis) : line_integrals(volume, axis));
           })
      .def("slice", [](const PyDensity& self, int axis,
                       double at) { return plane_array(plane_slice(volume_of(self), axis, at)); })
      .def("sample", sample)
      .def("samples", samples_of)
      .def("at", at)
      .def("save", save)
      .def_property_readonly("device_array", device_array_of)
      .def_property_readonly("dlpack_device", dlpack_device_of)
      .def("dlpack", dlpack_of);
  add_answers(density);
  module.def("density_from", density_from);
  module.def("compare", comparison_of);
}

}  // namespace skde::python
