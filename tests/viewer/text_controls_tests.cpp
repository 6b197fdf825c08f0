#include "viewer/session/density_controls.hpp"

#include <GLFW/glfw3.h>
#include <fmt/core.h>

#include <cmath>

#include "cli/options/density_options.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

/// The panels, with text input into their fields.
class TypedStage : public PanelStage {
 public:
  TypedStage() : PanelStage(kTall) {}
  void enter(const std::string& field, const std::string& text) {
    forget();
    state_before_ = state;
    click(find(field, {"##" + field}).middle);
    ImGuiIO& io = ImGui::GetIO();
    view::ui::set_modifiers(io, {.ctrl = true});  // selects all, for the text to replace
    press_key(GLFW_KEY_A);
    view::ui::set_modifiers(io, {});
    if (text.empty())
      press_key(GLFW_KEY_DELETE);
    else
      type(text.c_str());
    press_key(GLFW_KEY_ENTER);
  }
  void check_refused(const std::string& field, const std::string& text, const std::string& word) {
    enter(field, text);
    CAPTURE(text, actions.complaint);
    CHECK(state == state_before_);
    CHECK(actions.complaint.starts_with("\u201c" + field + "\u201d"));
    CHECK(actions.complaint.find(word) != std::string::npos);
    CHECK(actions.complaint.find("--") == std::string::npos);
  }

 private:
  ViewState state_before_;
};

}  // namespace

TEST_CASE("Every flag of a density has a control by whose name messages call it") {
  DensityOptions unused;
  cli::OptionTable table("", "", "");
  cli::add_density_fields(table, unused, target::kGrid);
  for (const std::string_view flag : table.names()) {
    std::string name(flag);
    if (name == "memory-limit" || name == "help") continue;  // they belong to the program
    std::ranges::replace(name, '-', '_');
    const Error error(ErrorKind::usage, "wrong", {{}, fmt::format("change `{}`", name)});
    CAPTURE(name, text_with_controls(error));
    CHECK(text_with_controls(error).find("\u201c") != std::string::npos);
  }
}

TEST_CASE("The share that regularises and S of a file are typed, refused and taken back") {
  TypedStage stage;
  const BandwidthSpec& spec = stage.state.density.bandwidth;
  stage.enter("regularize", "0.01");
  CHECK(spec.regularize == 0.01);
  CHECK(stage.actions.density_changed);
  stage.check_refused("regularize", "-1", "'-1'");
  stage.enter("regularize", "");
  CHECK(spec.regularize == 0);
  const TemporaryFolder folder;
  stage.enter("S of file", folder.file("s.txt", "2 0 0\n0 3 0\n0 0 4\n"));
  REQUIRE(spec.covariance);
  CHECK(*spec.covariance == Symmetric3::diagonal(2, 3, 4));
  stage.check_refused("S of file", folder.path("none.txt"), "none.txt");
  // Choosing another form of the covariance replaces it.
  stage.choose_line(stage.find("covariance", {"##covariance"}), 1);
  CHECK_FALSE(spec.covariance);
  CHECK(spec.form == CovarianceForm::diag);
}

TEST_CASE("Boundaries are typed where the box is given") {
  TypedStage stage;
  const DensityRequest& density = stage.state.density;
  stage.state.density.grid.bounds = Box{{0, 0, 0}, {1, 1, 1}};
  stage.enter("boundary", "periodic,none,reflect");
  CHECK(density.boundaries == Boundaries{Boundary::periodic, Boundary::none, Boundary::reflect});
  CHECK(stage.actions.density_changed);
  stage.check_refused("boundary", "mirror", "'mirror'");
  stage.enter("boundary", "");
  CHECK_FALSE(has_boundary(density.boundaries));
}

TEST_CASE("A bandwidth is typed in each of its forms") {
  TypedStage stage;
  const auto& bandwidth = stage.state.density.bandwidth.bandwidth;
  const auto typed = [&](const std::string& text) {
    stage.enter("H as text", text);
    CHECK(stage.actions.complaint.empty());
  };
  typed("normal-scale");
  CHECK(std::get<BandwidthRule>(bandwidth) == BandwidthRule::normal_scale);
  typed("4,0,0,5,0,6");
  CHECK(std::get<Symmetric3>(bandwidth) == Symmetric3::diagonal(4, 5, 6));
  typed("1,2,3.5");
  CHECK(std::get<Vec3>(bandwidth) == Vec3{1, 2, 3.5});
  typed("0.1");
  CHECK(std::get<double>(bandwidth) == 0.1);
  stage.check_refused("H as text", "wide", "wide");
  typed("");
  CHECK(std::get<BandwidthRule>(bandwidth) == BandwidthRule::automatic);
  // Widths in units of length leave no bandwidth to choose; factors do.
  const ViewField& control = *find_controls("H as text").front();
  stage.state.cloud.columns.widths = {"s"};
  CHECK_FALSE(control.shown(stage.state));
  stage.state.cloud.columns.width_form = io::WidthForm::factor;
  CHECK(control.shown(stage.state));
}

TEST_CASE("Precision and rows with NaN and skipped lines have controls") {
  TypedStage stage;
  stage.click(stage.find("precision", {"f64"}).middle);
  CHECK(stage.state.density.precision == Precision::f64);
  CHECK(stage.actions.density_changed);
  stage.click(stage.find("precision", {"f32"}).middle);
  CHECK(stage.state.density.precision == Precision::f32);
  stage.click(stage.find("NaN rows", {"error"}).middle);
  CHECK(stage.state.cloud.non_finite == io::NonFinite::error);
  stage.click(stage.find("NaN rows", {"drop"}).middle);
  CHECK(stage.state.cloud.non_finite == io::NonFinite::drop);
  stage.enter("skip lines", "7");
  CHECK(stage.state.cloud.columns.skip == 7);
  stage.check_refused("skip lines", "some", "some");
  stage.enter("bounds", "all");
  CHECK(stage.state.density.grid.whole_cloud);
  stage.enter("bounds", "");
  CHECK_FALSE(stage.state.density.grid.whole_cloud);
}

TEST_CASE("A spacing and the grid of a volume replace the cells") {
  TypedStage stage;
  stage.enter("spacing", "0.5,1,2");
  CHECK(stage.state.density.grid.spacing == Vec3{0.5, 1, 2});
  CHECK_FALSE(stage.state.density.grid.dims);
  stage.check_refused("spacing", "0", "'0'");
  const TemporaryFolder folder;
  const Grid grid{{1, 2, 3}, {0.5, 0.5, 1}, {4, 5, 6}};
  const std::string volume = folder.path("v.nrrd");
  io::volume_format_for(volume).write(volume, Volume(grid, Precision::f32), {});
  stage.enter("grid of", volume);
  CHECK(stage.actions.complaint.empty());
  CHECK(stage.state.density.like == GridOfVolume(grid));
  stage.check_refused("grid of", folder.path("w.nrrd"), "w.nrrd");
  stage.enter("grid of", "");
  CHECK_FALSE(stage.state.density.like);
}

TEST_CASE("Threads and the GPU are set where an engine of theirs is looked for") {
  TypedStage stage;
  stage.choose_line(stage.find("engine", {"##engine"}), 1);
  CHECK(stage.state.density.device == Device::cpu);
  stage.enter("threads", "3");
  CHECK(stage.state.density.options.threads == 3);
  stage.check_refused("threads", "0", "'0'");
  stage.choose_line(stage.find("engine", {"##engine"}), 2);
  stage.enter("GPU", "1");
  CHECK(stage.state.density.options.device == 1);
  stage.enter("GPU memory", "2G");
  CHECK(stage.state.density.options.device_memory == std::int64_t{2} << 30);
  stage.enter("GPU memory", "");
  CHECK(stage.state.density.options.device_memory == 0);
  stage.choose_line(stage.find("engine", {"##engine"}), 0);
  CHECK_FALSE(stage.state.density.device);
}
