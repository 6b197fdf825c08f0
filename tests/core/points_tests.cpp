#include "core/cloud/samples.hpp"

#include "support/catch.hpp"

using namespace skde;

TEST_CASE("a cloud is read sample by sample", "[points]") {
  const Samples cloud{{1, 2, 3, 4, 5, 6}, {}};
  CHECK(cloud.size() == 2);
  const SamplesView view = cloud.view();
  CHECK(view.size() == 2);
  CHECK_FALSE(view.weighted());
  CHECK(view.point(0) == Vec3{1, 2, 3});
  CHECK(view.point(1) == Vec3{4, 5, 6});
  CHECK(view.weight(1) == 1);
  CHECK(SamplesView{}.size() == 0);
}

TEST_CASE("a slice keeps each sample with its weight", "[points]") {
  const Samples cloud{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0.5, 0, 2, 7}};
  const SamplesView slice = cloud.view().slice(1, 2);
  CHECK(slice.weighted());
  CHECK(slice.size() == 2);
  CHECK(slice.point(0) == Vec3{4, 5, 6});
  CHECK(slice.point(1) == Vec3{7, 8, 9});
  CHECK(slice.weight(0) == 0);
  CHECK(slice.weight(1) == 2);
  CHECK(cloud.view().slice(4, 0).size() == 0);
  const Samples plain{{1, 2, 3, 4, 5, 6}, {}};
  CHECK_FALSE(plain.view().slice(1, 1).weighted());
  CHECK(plain.view().slice(1, 1).point(0) == Vec3{4, 5, 6});
}

TEST_CASE("vectors and boxes", "[points]") {
  Vec3 v{1, 2, 3};
  CHECK(v[0] == 1);
  CHECK(v[1] == 2);
  CHECK(v[2] == 3);
  v[0] = 5;
  v[1] = 6;
  v[2] = 7;
  CHECK(v == Vec3{5, 6, 7});
  CHECK(v + Vec3{1, 1, 2} == Vec3{6, 7, 9});
  CHECK(v - Vec3{1, 2, 4} == Vec3{4, 4, 3});
  CHECK(2.0 * v == Vec3{10, 12, 14});
  const Box box{{-1, 0, 2}, {3, 1, 8}};
  CHECK(box.extent() == Vec3{4, 1, 6});
  CHECK(box.centre() == Vec3{1, 0.5, 5});
}
