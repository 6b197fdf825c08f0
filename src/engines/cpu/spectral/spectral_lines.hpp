#pragma once

#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

namespace skde {

/// FFTW's functions for a precision, under common names.
template <class Real>
struct Fftw;

// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot stand in parentheses
#define SKDE_FFTW(REAL, PREFIX)                                                                 \
  template <>                                                                                   \
  struct Fftw<REAL> {                                                                           \
    using Plan = PREFIX##_plan;                                                                 \
    using Complex = PREFIX##_complex;                                                           \
    static void* allocate(std::size_t bytes) { return PREFIX##_malloc(bytes); }                 \
    static void release(void* memory) { PREFIX##_free(memory); }                                \
    static void destroy(Plan plan) { PREFIX##_destroy_plan(plan); }                             \
    static Plan lines(int n, int count, Complex* at, int sign) {                                \
      return PREFIX##_plan_many_dft(1, &n, count, at, nullptr, count, 1, at, nullptr, count, 1, \
                                    sign, FFTW_ESTIMATE);                                       \
    }                                                                                           \
    static Plan to_complex(int n, REAL* from, Complex* to) {                                    \
      return PREFIX##_plan_dft_r2c_1d(n, from, to, FFTW_ESTIMATE);                              \
    }                                                                                           \
    static Plan to_real(int n, Complex* from, REAL* to) {                                       \
      return PREFIX##_plan_dft_c2r_1d(n, from, to, FFTW_ESTIMATE);                              \
    }                                                                                           \
    static void run(Plan plan, Complex* at) { PREFIX##_execute_dft(plan, at, at); }             \
    static void run(Plan plan, REAL* from, Complex* to) {                                       \
      PREFIX##_execute_dft_r2c(plan, from, to);                                                 \
    }                                                                                           \
    static void run(Plan plan, Complex* from, REAL* to) {                                       \
      PREFIX##_execute_dft_c2r(plan, from, to);                                                 \
    }                                                                                           \
  };
// NOLINTEND(bugprone-macro-parentheses)
SKDE_FFTW(float, fftwf)
SKDE_FFTW(double, fftw)
#undef SKDE_FFTW

/// Memory with the alignment that FFTW's vector instructions need.
template <class Real, class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::size_t size) : data_(Fftw<Real>::allocate((size + 1) * sizeof(T))) {
    if (!data_) throw std::bad_alloc();
  }
  ~AlignedArray() { Fftw<Real>::release(data_); }
  AlignedArray(AlignedArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  AlignedArray& operator=(AlignedArray&&) = delete;
  T* data() { return static_cast<T*>(data_); }

 private:
  void* data_;
};

/// Transforms lines of one length. The plan is made by estimates alone, so that it is the same on
/// every run. Any number of threads may run it, on aligned arrays.
template <class Real>
class LineTransform {
 public:
  using Complex = std::complex<Real>;
  enum class Kind { forward, backward, to_complex, to_real };

  /// Complex transforms take `count` interleaved lines. Transforms to or from real numbers take one
  /// line, of `length` real numbers.
  LineTransform(Kind kind, int length, int count = 1) {
    static std::mutex planning;  // FFTW plans on one thread at a time
    const auto size = static_cast<std::size_t>(length) * static_cast<std::size_t>(count);
    AlignedArray<Real, Complex> complex(size);
    AlignedArray<Real, Real> real(size);
    auto* const at = reinterpret_cast<typename Fftw<Real>::Complex*>(complex.data());
    const std::lock_guard lock(planning);
    if (kind == Kind::to_complex)
      plan_ = Fftw<Real>::to_complex(length, real.data(), at);
    else if (kind == Kind::to_real)
      plan_ = Fftw<Real>::to_real(length, at, real.data());
    else
      plan_ = Fftw<Real>::lines(length, count, at,
                                kind == Kind::forward ? FFTW_FORWARD : FFTW_BACKWARD);
    if (!plan_) throw std::bad_alloc();
  }
  ~LineTransform() { Fftw<Real>::destroy(plan_); }
  LineTransform(const LineTransform&) = delete;
  LineTransform& operator=(const LineTransform&) = delete;

  void run(Complex* lines) const { Fftw<Real>::run(plan_, raw(lines)); }
  void run(Real* from, Complex* to) const { Fftw<Real>::run(plan_, from, raw(to)); }
  void run(Complex* from, Real* to) const { Fftw<Real>::run(plan_, raw(from), to); }

 private:
  static auto* raw(Complex* at) { return reinterpret_cast<typename Fftw<Real>::Complex*>(at); }

  typename Fftw<Real>::Plan plan_ = nullptr;
};

}  // namespace skde
