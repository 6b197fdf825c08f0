#include "python/device_arrays.hpp"

#include <cstring>
#include <vector>

#include "core/report/error.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"

#if SKDE_HAS_CUDA
#include <cuda_runtime_api.h>

#include "gpu/check.hpp"
#endif

namespace skde::python {
namespace {

// The ABI of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html).

struct DlDevice {
  std::int32_t type, index;
};
struct DlType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t dims;
  DlType type;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};
struct DlManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(DlManagedVersioned*);
  std::uint64_t flags;
  DlTensor tensor;
};

constexpr std::int32_t kCpu = 1, kCuda = 2;
constexpr std::uint8_t kFloat = 2;
constexpr std::uint64_t kReadOnly = 1, kCopied = 2;

/// A tensor and what it shares with the density, or its own values.
template <class Managed>
struct SharedTensor {
  Managed managed{};
  std::shared_ptr<Density> density;
  std::vector<double> copied;
  std::array<std::int64_t, 3> shape{}, strides{};
};

/// Values in host memory are copied: PyTorch writes to tensors that are marked read-only.
DlTensor tensor_of(Density& density, std::array<std::int64_t, 3>& shape,
                   std::array<std::int64_t, 3>& strides, std::vector<double>& copied) {
  const auto& dims = density.grid().dims;
  shape = {dims[2], dims[1], dims[0]};
  strides = {dims[0] * dims[1], dims[0], 1};
  const bool is_single = density.facts().precision == Precision::f32;
  DlTensor tensor{
      nullptr,      {kCpu, 0},      3, {kFloat, static_cast<std::uint8_t>(is_single ? 32 : 64), 1},
      shape.data(), strides.data(), 0};
  if (const auto values = density.values()->on_device()) {
    tensor.data = const_cast<void*>(values->data);
    tensor.device = {kCuda, values->device};
  } else {
    std::visit(
        [&](const auto& span) {
          copied.resize((span.size_bytes() + sizeof(double) - 1) / sizeof(double));
          tensor.data = std::memcpy(copied.data(), span.data(), span.size_bytes());
        },
        density.volume().value_span());
  }
  return tensor;
}

template <class Managed>
py::capsule capsule_of(const PyDensity& self, const char* name) {
  auto shared = std::make_unique<SharedTensor<Managed>>();
  shared->density = self.density;
  shared->managed.tensor = tensor_of(*self.density, shared->shape, shared->strides, shared->copied);
  if constexpr (requires { shared->managed.flags; }) {
    shared->managed.major = 1;
    shared->managed.flags = shared->copied.empty() ? kReadOnly : kCopied;
  }
  shared->managed.context = shared.get();
  shared->managed.deleter = [](Managed* managed) {
    delete static_cast<SharedTensor<Managed>*>(managed->context);
  };
  PyObject* const capsule = PyCapsule_New(&shared->managed, name, [](PyObject* unused) {
    // A consumer of the tensor renames the capsule and calls the deleter itself.
    const char* const own = PyCapsule_GetName(unused);
    if (std::string_view(own).starts_with("used_")) return;
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(unused, own));
    managed->deleter(managed);
  });
  if (!capsule) throw py::error_already_set();
  shared.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

py::object device_array_of(const PyDensity& self) {
  const auto values = self.density->values()->on_device();
  if (!values) return py::none();
  const auto& dims = self.density->grid().dims;
  py::dict array;
  array["shape"] = py::make_tuple(dims[2], dims[1], dims[0]);
  array["typestr"] = self.density->facts().precision == Precision::f32 ? "<f4" : "<f8";
  array["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(values->data), true);
  array["strides"] = py::none();
  array["version"] = 3;
  return array;
}

py::capsule dlpack_of(const PyDensity& self, bool versioned) {
  return versioned ? capsule_of<DlManagedVersioned>(self, "dltensor_versioned")
                   : capsule_of<DlManaged>(self, "dltensor");
}

std::pair<int, int> dlpack_device_of(const PyDensity& self) {
  const auto values = self.density->values()->on_device();
  return values ? std::pair{static_cast<int>(kCuda), values->device}
                : std::pair{static_cast<int>(kCpu), 0};
}

#if SKDE_HAS_CUDA
void copy_from_device(std::uintptr_t from, void* to, std::size_t bytes,
                      std::optional<std::uintptr_t> stream) {
  cudaPointerAttributes attributes{};
  gpu::check(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(from)),
             "look at an array in GPU memory");
  gpu::check(cudaSetDevice(attributes.device), "choose the array's GPU");
  if (stream)
    gpu::check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(*stream)),
               "wait for the array's stream");
  else
    gpu::check(cudaDeviceSynchronize(), "wait for the array's GPU");
  gpu::check(cudaMemcpy(to, reinterpret_cast<const void*>(from), bytes, cudaMemcpyDeviceToHost),
             "copy an array from GPU memory");
}
#else
void copy_from_device(std::uintptr_t, void*, std::size_t, std::optional<std::uintptr_t>) {
  throw Error(ErrorKind::unsupported, "an array in GPU memory needs a build with CUDA",
              {{}, "copy the array to host memory"});
}
#endif

}  // namespace skde::python
