#include "core/kernel/shape_summary.hpp"

#include "support/catch.hpp"

using namespace skde;

TEST_CASE("99 of 100 samples have kernels within the inner reach", "[shapes]") {
  for (const bool matrices : {false, true})
    for (const int wide : {5, 15}) {
      Samples samples;
      for (int i = 0; i < 1000; ++i) {
        const double width = i < wide ? 50 : 1;
        samples.xyz.insert(samples.xyz.end(), {0, 0, 0});
        if (matrices)
          samples.shapes.insert(samples.shapes.end(), {width * width, 0, 0, 4, 0, 1});
        else
          samples.bandwidth_factors.push_back(width);
      }
      ShapeSummary summary;
      summary.add(samples.view());
      INFO(wide << (matrices ? " wide matrices" : " wide factors"));
      CHECK(summary.largest().x == 50);
      CHECK(summary.inner().x >= (wide == 5 ? 1 : 50));
      CHECK(summary.inner().x < (wide == 5 ? 1.1 : 50.1));
      if (matrices) CHECK(summary.inner().y == 2);
    }
}
