#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include "core/kernel/kernel_shape.hpp"
#include "estimate/session.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/density_facts.hpp"
#include "mixture/mixture_fit.hpp"
namespace skde {
TEST_CASE("experiment", "[.x]") {
  const auto env=[](const char*n,const char*d){const char*v=getenv(n);return v?v:d;};
  Session s; NoProgress p;
  CloudFiles files; files.paths={env("IN","/tmp/five.npy")};
  s.open(files,p);
  DensityRequest r; r.kernel=KernelFunction::gaussian;
  const double iso=atof(env("ISO","0"));
  r.grid.dims=parse_dims(env("DIMS","96"));
  if(iso>0){ r.bandwidth.bandwidth=Symmetric3::diagonal(iso*iso,iso*iso,iso*iso); r.grid.dims={}; r.grid.spacing=Vec3{0.7,0.7,0.7}; }
  Density d=s.compute(r,p);
  const Volume& v=d.volume();
  std::printf("dims %ld %ld %ld mass %g\n",(long)v.grid().dims[0],(long)v.grid().dims[1],(long)v.grid().dims[2],v.mass());
  FitInput in; in.volume=&v; in.kernel=d.kernel().H; if(atoi(env("CLOUD","1"))) in.samples=s.cloud()->points;
  FitSpec spec; spec.members=atoi(env("K","256")); spec.steps=atoi(env("STEPS","500"));
  if(atoi(env("GPU","0"))) spec.device=Device::cuda;
  const MixtureFit f=fit_mixture(in,spec,p,[](std::int64_t t,double e){ std::printf("%ld %.4f%%\n",(long)t,100*e); std::fflush(stdout); return false;});
  std::printf("K %zu error %.4f%% mass %g of %g seconds %.2f\n",f.facts.members,100*f.facts.relative_error,f.facts.mass,f.facts.given_mass,f.facts.seconds);
}
}
