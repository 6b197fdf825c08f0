#include "gpu/fft_library.hpp"

#include <cufft.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/report/error.hpp"

namespace skde::gpu {
/// The functions of cuFFT that are used.
struct FftLibrary {
  void* handle = nullptr;
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftSetAutoAllocation) allocate = nullptr;
  decltype(&cufftMakePlan3d) plan = nullptr;
  decltype(&cufftSetWorkArea) set_work = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftExecR2C) float_forward = nullptr;
  decltype(&cufftExecC2R) float_backward = nullptr;
  decltype(&cufftExecD2Z) double_forward = nullptr;
  decltype(&cufftExecZ2D) double_backward = nullptr;

  FftLibrary() {
    for (const char* const folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"})
      for (const char* const name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"})
        if (!handle) handle = dlopen(fmt::format("{}{}", folder, name).c_str(), RTLD_NOW);
    if (!handle) return;
    find(create, "cufftCreate");
    find(allocate, "cufftSetAutoAllocation");
    find(plan, "cufftMakePlan3d");
    find(set_work, "cufftSetWorkArea");
    find(destroy, "cufftDestroy");
    find(set_stream, "cufftSetStream");
    find(float_forward, "cufftExecR2C");
    find(float_backward, "cufftExecC2R");
    find(double_forward, "cufftExecD2Z");
    find(double_backward, "cufftExecZ2D");
  }

  bool complete() const {
    return create && allocate && plan && set_work && destroy && set_stream && float_forward &&
           float_backward && double_forward && double_backward;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }
};

namespace {

const FftLibrary& library_here() {
  static const FftLibrary found;
  return found;
}

/// The same where it is there; Error(resources) elsewhere.
const FftLibrary& library() {
  const FftLibrary& found = library_here();
  if (!found.complete())
    throw Error(ErrorKind::resources, fft_unavailable_reason(),
                {"engine", "choose another `engine`"});
  return found;
}

void check_fft(cufftResult status, const char* what) {
  if (status == CUFFT_SUCCESS) return;
  if (status == CUFFT_ALLOC_FAILED)
    throw Error(ErrorKind::resources, fmt::format("not enough free GPU memory: could not {}", what),
                {"dims", "use smaller `dims`"});
  throw Error(ErrorKind::resources,
              fmt::format("could not {}: cuFFT error {}", what, static_cast<int>(status)),
              {"engine", "choose another `engine`"});
}

}  // namespace

std::string fft_unavailable_reason() {
  if (!library_here().handle) return "cuFFT (libcufft.so.12) was not found";
  return library_here().complete() ? "" : "cuFFT lacks required functions";
}

template <class Real>
FieldTransform<Real>::FieldTransform(const std::array<std::int32_t, 3>& nodes) : nodes_(nodes) {
  constexpr bool kFloat = std::is_same_v<Real, float>;
  const FftLibrary& fft = library();
  check_fft(fft.create(&forward_), "make a transform");
  if (const cufftResult status = fft.create(&backward_); status != CUFFT_SUCCESS) {
    fft.destroy(forward_);
    check_fft(status, "make a transform");
  }
  try {
    std::size_t bytes[2] = {};
    const auto plan = [&](int handle, cufftType type, std::size_t& needed) {
      check_fft(fft.allocate(handle, 0), "plan a transform");
      check_fft(fft.plan(handle, nodes[2], nodes[1], nodes[0], type, &needed), "plan a transform");
    };
    plan(forward_, kFloat ? CUFFT_R2C : CUFFT_D2Z, bytes[0]);
    plan(backward_, kFloat ? CUFFT_C2R : CUFFT_Z2D, bytes[1]);
    work_.reserve(std::max(bytes[0], bytes[1]));
    for (const int handle : {forward_, backward_})
      check_fft(fft.set_work(handle, work_.data()), "plan a transform");
  } catch (...) {
    fft.destroy(forward_);
    fft.destroy(backward_);
    throw;
  }
  planned_ = true;
}

template <class Real>
FieldTransform<Real>::~FieldTransform() {
  if (!planned_) return;
  library_here().destroy(forward_);
  library_here().destroy(backward_);
}

template <class Real>
FieldTransform<Real>::FieldTransform(FieldTransform&& other) noexcept
    : planned_(std::exchange(other.planned_, false)),
      nodes_(other.nodes_),
      forward_(other.forward_),
      backward_(other.backward_),
      work_(std::move(other.work_)) {}

template <class Real>
FieldTransform<Real>& FieldTransform<Real>::operator=(FieldTransform&& other) noexcept {
  std::swap(planned_, other.planned_);
  std::swap(nodes_, other.nodes_);
  std::swap(forward_, other.forward_);
  std::swap(backward_, other.backward_);
  std::swap(work_, other.work_);
  return *this;
}

template <class Real>
void FieldTransform<Real>::forward(Real* field, const Stream& stream) const {
  check_fft(library().set_stream(forward_, stream.get()), "choose a stream");
  if constexpr (std::is_same_v<Real, float>)
    check_fft(library().float_forward(forward_, field, reinterpret_cast<cufftComplex*>(field)),
              "transform");
  else
    check_fft(
        library().double_forward(forward_, field, reinterpret_cast<cufftDoubleComplex*>(field)),
        "transform");
}

template <class Real>
void FieldTransform<Real>::backward(Real* field, const Stream& stream) const {
  check_fft(library().set_stream(backward_, stream.get()), "choose a stream");
  if constexpr (std::is_same_v<Real, float>)
    check_fft(library().float_backward(backward_, reinterpret_cast<cufftComplex*>(field), field),
              "transform back");
  else
    check_fft(
        library().double_backward(backward_, reinterpret_cast<cufftDoubleComplex*>(field), field),
        "transform back");
}

template class FieldTransform<float>;
template class FieldTransform<double>;

}  // namespace skde::gpu
