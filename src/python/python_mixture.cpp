#include "python/python_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "commands/fit_files.hpp"
#include "commands/fit_input.hpp"
#include "core/report/error.hpp"
#include "core/version.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/piloted_cloud.hpp"
#include "io/points/mixture_file.hpp"
#include "mixture/mixture_fit.hpp"
#include "python/python_call.hpp"
#include "python/python_density.hpp"

namespace skde::python {
namespace {

[[noreturn]] void refuse_member(std::size_t member, const char* parameter, const char* demand,
                                const char* advice) {
  throw Error(ErrorKind::usage,
              fmt::format("{} of member {} (from 0) must be {}", parameter, member, demand),
              {parameter, advice});
}

/// Takes masses (K,), means (K, 3) and the entries (K, 6) of covariances, of these shapes.
Mixture mixture_from(const Doubles& masses, const Doubles& means, const Doubles& covariances,
                     const std::array<double, 6>& H) {
  const auto numbers = [](const Doubles& array) {
    return std::vector<double>(array.data(), array.data() + array.size());
  };
  const auto [xx, xy, xz, yy, yz, zz] = H;
  Mixture mixture{{}, {xx, xy, xz, yy, yz, zz}};
  mixture.members.xyz = numbers(means);
  mixture.members.weights = numbers(masses);
  mixture.members.shapes = numbers(covariances);
  const SamplesView members = mixture.members.view();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Vec3 mean = members.point(k);
    if (!(members.weight(k) >= 0 && std::isfinite(members.weight(k))))
      refuse_member(k, "masses", "finite and at least 0", "drop this member");
    if (!std::isfinite(mean.x + mean.y + mean.z))
      refuse_member(k, "means", "finite", "drop this member");
    if (!is_positive_definite(members.shape(k)))
      refuse_member(k, "covariances", "finite and positive definite",
                    "add a small multiple of the unit matrix");
  }
  return mixture;
}

/// A mixture as Python holds it. It never changes.
class PyMixture {
 public:
  explicit PyMixture(Mixture mixture)
      : mixture_(std::make_shared<const Mixture>(std::move(mixture))) {}

  std::size_t size() const { return mixture_->size(); }
  py::array masses() const { return array_of(mixture_->members.weights, {count()}); }
  py::array means() const { return array_of(mixture_->members.xyz, {count(), 3}); }
  /// The entries xx, xy, xz, yy, yz, zz, (K, 6).
  py::array covariances() const { return array_of(mixture_->members.shapes, {count(), 6}); }
  py::array kernel() const { return array_of(mixture_->H); }

  py::array at(const Doubles& points, py::object show) const {
    const TargetPoints targets = points_from(points);
    std::vector<double> values = call_library(std::move(show), [&](Progress& progress) {
      return mixture_at(*mixture_, targets, {}, progress);
    });
    return array_of(std::move(values), {points.shape(0)});
  }

  /// Returns the derivatives by masses (K,), means (K, 3) and entries of covariances (K, 6), from
  /// those by the density at points (M, 3), or at the cells of a grid, given as a dict.
  py::tuple gradient(const py::object& where, const Doubles& cotangents, py::object show) const {
    const bool is_grid = py::isinstance<py::dict>(where);
    const Target target = is_grid ? Target(grid_from(where)) : Target(points_from(where));
    const std::span<const double> given(cotangents.data(),
                                        static_cast<std::size_t>(cotangents.size()));
    const std::vector<MemberGradient> found =
        call_library(std::move(show), [&](Progress& progress) {
          return mixture_gradient(*mixture_, target, given, {}, progress);
        });
    std::vector<double> masses, means, entries;
    for (const MemberGradient& by : found) {
      masses.push_back(by.mass);
      means.insert(means.end(), {by.mean.x, by.mean.y, by.mean.z});
      const Symmetric3& c = by.covariance;
      entries.insert(entries.end(), {c.xx, c.xy, c.xz, c.yy, c.yz, c.zz});
    }
    return py::make_tuple(array_of(std::move(masses), {count()}),
                          array_of(std::move(means), {count(), 3}),
                          array_of(std::move(entries), {count(), 6}));
  }

  py::array sample(std::uint64_t draws, std::uint64_t seed, py::object show) const {
    DensityRequest request;
    request.kernel = KernelFunction::gaussian;
    return draws_of(make_cloud(mixture_->members.view(), mixture_), request, draws, seed,
                    std::move(show));
  }

  /// `facts` are pairs of texts.
  void save(const std::string& path, const std::vector<std::pair<std::string, std::string>>& facts,
            py::object show) const {
    io::MixtureFacts stated;
    for (const auto& [key, value] : facts) stated.push_back({key, value});
    with_parameter_as("output", "path", [&] {
      return call_library(std::move(show), [&](Progress& progress) {
        cli::write_fitted(path, *mixture_, stated, {}, progress);
        return 0;
      });
    });
  }

 private:
  py::ssize_t count() const { return static_cast<py::ssize_t>(size()); }

  std::shared_ptr<const Mixture> mixture_;
};

/// Returns the mixture of a file and its facts, a dict of texts.
py::tuple read(const std::string& path, py::object show) {
  io::MixtureFile file = call_library(
      std::move(show), [&](Progress& progress) { return io::read_mixture(path, progress); });
  py::dict facts;
  for (const io::MixtureFact& fact : file.facts) facts[py::str(fact.key)] = fact.value;
  return py::make_tuple(PyMixture(std::move(file.mixture)), facts);
}

FitSpec spec_from(const py::dict& given, const py::dict& engine) {
  FitSpec spec;
  spec.members = given["k"].cast<std::size_t>();
  spec.error = given["error"].cast<double>();
  spec.steps = given["steps"].cast<std::optional<std::int64_t>>();
  spec.seed = given["seed"].cast<std::uint64_t>();
  for (const auto& [word, loss] : kFitLosses)
    if (word == given["loss"].cast<std::string>()) spec.loss = loss;
  const DensityRequest request = options_from(engine, target::kGrid).request;
  spec.device =
      request.is_automatic() ? request.device : engine_entry(request.engine).traits.device;
  spec.options = request.options;
  return spec;
}

/// The facts of a fit, with the names that they have in files.
py::dict facts_of(const MixtureFit& fit, const FitSpec& spec, const DensityMetadata& about) {
  const FitFacts& found = fit.facts;
  py::dict facts;
  if (about.effective_samples > 0) facts[io::kEffectiveSamples.data()] = about.effective_samples;
  facts["members"] = found.members;
  facts["parameters"] = found.parameters;
  facts["relative_error"] = found.relative_error;
  facts["psnr"] = found.psnr;
  facts["largest_error"] = found.largest_error;
  facts["mass.fitted"] = found.mass;
  facts["mass.given"] = found.given_mass;
  facts["divergence"] = found.divergence;
  facts["loss"] = std::string(word_of(kFitLosses, spec.loss));
  facts["steps"] = found.steps;
  facts["seed"] = spec.seed;
  facts["engine"] = found.engine;
  facts["fit_seconds"] = found.seconds;
  facts["version"] = std::string(kVersion);
  return facts;
}

/// Fits a mixture to a density; `given` has k, error, loss, steps and seed, and `engine` the
/// keywords that choose a device. Returns the mixture and its facts.
py::tuple fit(const PyDensity& density, const py::dict& given, const py::dict& engine,
              py::object show) {
  const FitSpec spec = spec_from(given, engine);
  const DensityMetadata& about = density.density->metadata;
  if (spec.loss == FitLoss::likelihood && has_boundary(about.boundaries))
    throw Error(ErrorKind::usage, "expectation-maximisation knows no boundaries",
                {"loss", "use `loss=l2`, or a density without `boundary`"});
  FitInput input{&volume_of(density),
                 {},
                 cli::kernel_covariance(about, density.cloud.get()).value_or(Symmetric3{})};
  if (density.cloud) input.samples = density.cloud->points;
  std::vector<double> own;
  MixtureFit found = with_parameter_as("members", "k", [&] {
    return call_library(std::move(show), [&](Progress& progress) {
      if (density.cloud && (spec.loss == FitLoss::likelihood || about.adaptive == 0))
        input.own_kernels = own = own_kernels(density.cloud, density.density->facts(), progress);
      return fit_mixture(input, spec, progress);
    });
  });
  const py::dict facts = facts_of(found, spec, about);
  return py::make_tuple(PyMixture(std::move(found.mixture)), facts);
}

}  // namespace

void add_mixture(py::module_& module) {
  py::class_<PyMixture>(module, "Mixture")
      .def(py::init([](const Doubles& masses, const Doubles& means, const Doubles& covariances,
                       const std::array<double, 6>& H) {
        return PyMixture(mixture_from(masses, means, covariances, H));
      }))
      .def("size", &PyMixture::size)
      .def("masses", &PyMixture::masses)
      .def("means", &PyMixture::means)
      .def("covariances", &PyMixture::covariances)
      .def("kernel", &PyMixture::kernel)
      .def("at", &PyMixture::at)
      .def("gradient", &PyMixture::gradient)
      .def("sample", &PyMixture::sample)
      .def("save", &PyMixture::save);
  module.def("read_mixture", read);
  module.def("fit", fit);
}

}  // namespace skde::python
