#include "derive/trace/equal_layers.h"

#include <gmock/gmock.h>

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;
using ::testing::ElementsAre;

// A model on one thread (track 0) and one stream (track 1).
class Model {
 public:
  Model() { timeline_.tracks = {{"1", "10", -1, -1, -1}, {"0", "7", 0, 7, -1}}; }

  std::uint32_t open(std::string_view name, EventKind kind = EventKind::annotation) {
    return add(now_++, 0, name, kind, 0, Timeline::no_id);
  }
  void close(std::uint32_t range) { timeline_.duration[range] = now_++ - timeline_.start[range]; }

  // A kernel that an operator launches; it takes `ns`.
  void run(std::string_view op, std::string_view shapes, std::string_view kernel, std::int64_t ns = 10, std::uint32_t blocks = 1) {
    const std::uint32_t range = open(op, EventKind::cpu_op);
    timeline_.shaped_events.push_back(range);
    timeline_.shapes_of.push_back(timeline_.shapes.add(shapes));
    add(now_++, 1, "cudaLaunchKernel", EventKind::runtime, 0, ++correlation_);
    const std::uint32_t row = add(gpu_, ns, kernel, EventKind::kernel, 1, correlation_);
    timeline_.kernel_shapes.push_back({row, {blocks, 1, 1}, {128, 1, 1}, 0, 0, 0});
    gpu_ += ns;
    close(range);
  }
  void linear(std::string_view name, std::string_view shapes = "[[8, 8]]", std::int64_t ns = 10, std::uint32_t blocks = 1) {
    const std::uint32_t module = open(fmt::format("nn.Module: {}", name));
    run("aten::addmm", shapes, "gemm", ns, blocks);
    close(module);
  }

  LayerDivision divided() const { return equal_layers(timeline_, operator_calls(timeline_, attribute(timeline_))); }

 private:
  std::uint32_t add(std::int64_t start, std::int64_t duration, std::string_view name, EventKind kind, std::uint32_t track,
                    std::uint32_t correlation) {
    timeline_.start.push_back(start);
    timeline_.duration.push_back(duration);
    timeline_.name.push_back(timeline_.names.add(name));
    timeline_.track.push_back(track);
    timeline_.correlation.push_back(correlation);
    timeline_.external.push_back(Timeline::no_id);
    timeline_.kind.push_back(kind);
    return static_cast<std::uint32_t>(timeline_.size() - 1);
  }

  Timeline timeline_;
  std::int64_t now_ = 0, gpu_ = 1'000'000;
  std::uint32_t correlation_ = 0;
};

// A module in which operators run, each of which launches a kernel: {operator, kernel}.
void module_of(Model& model, std::string_view name, std::initializer_list<std::pair<std::string_view, std::string_view>> work) {
  const std::uint32_t module = model.open(fmt::format("nn.Module: {}", name));
  for (const auto& [op, kernel] : work) model.run(op, "[[8, 8]]", kernel);
  model.close(module);
}

void block(Model& model, int number, std::string_view shapes = "[[8, 8]]", std::int64_t ns = 10) {
  const std::uint32_t module = model.open(fmt::format("nn.Module: blocks.{}", number));
  model.linear(fmt::format("blocks.{}.fc1", number), shapes, ns);
  model.linear(fmt::format("blocks.{}.fc2", number), shapes, ns);
  model.close(module);
}

TEST(EqualLayers, TheFirstOfEqualModulesStandsForTheOthers) {
  Model model;
  const std::uint32_t all = model.open("nn.Module: Net");
  model.linear("head", "[[8, 3]]");
  for (int i = 0; i < 4; ++i) block(model, i, i == 2 ? "[[16, 8]]" : "[[8, 8]]", i == 3 ? 16 : 10);
  model.close(all);
  const LayerDivision division = model.divided();
  ASSERT_EQ(division.groups.size(), 2u) << "of the blocks with equal shapes, and inside of the other one";
  EXPECT_EQ(division.groups[0].unique, "blocks.0");
  EXPECT_THAT(division.groups[0].duplicates, ElementsAre("blocks.1", "blocks.3"));
  EXPECT_EQ(division.groups[0].kernels, 2u);
  EXPECT_EQ(division.groups[0].unique_ns, 20);
  EXPECT_EQ(division.groups[0].all_ns, 72);
  EXPECT_NEAR(division.groups[0].spread, 0.2357, 0.0001);
  EXPECT_EQ(division.groups[1].unique, "blocks.2.fc1");
  EXPECT_EQ(division.kernels, 9u);
  EXPECT_EQ(division.kernels_left_out, 2u * 2 + 1);
}

TEST(EqualLayers, OtherWorkIsNoDuplicate) {
  const auto groups = [](auto other) {
    Model model;
    model.linear("a");
    other(model);
    return model.divided().groups.size();
  };
  EXPECT_EQ(groups([](Model& model) { model.linear("b"); }), 1u);
  EXPECT_EQ(groups([](Model& model) { model.linear("b", "[[8, 9]]"); }), 0u) << "shapes";
  EXPECT_EQ(groups([](Model& model) { model.linear("b", "[[8, 8]]", 10, 2); }), 0u) << "grid";
  EXPECT_EQ(groups([](Model& model) { module_of(model, "b", {{"aten::addmm", "other gemm"}}); }), 0u) << "kernel";
  EXPECT_EQ(groups([](Model& model) { module_of(model, "b", {{"aten::mm", "gemm"}}); }), 0u) << "operator";
  EXPECT_EQ(groups([](Model& model) { module_of(model, "b", {{"aten::addmm", "gemm"}, {"aten::relu", "relu"}}); }), 0u) << "more of it";
}

TEST(EqualLayers, ModulesOfDifferentModulesAreNotCompared) {
  Model model;
  for (const std::string_view name : {"encoder", "decoder"}) {
    const std::uint32_t module = model.open(fmt::format("nn.Module: {}", name));
    model.linear(fmt::format("{}.fc", name));
    if (name == "decoder") model.linear("decoder.out", "[[8, 100]]");
    model.close(module);
  }
  EXPECT_TRUE(model.divided().groups.empty());
}

// A module that ran twice in an iteration, or not in all of them, does other work; what ran before the window counts for nothing.
TEST(EqualLayers, AllCallsInTheWindowCount) {
  Model model;
  model.linear("b", "[[1, 1]]");
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t iteration = model.open(fmt::format("frx::measure#{}", i));
    model.linear("a");
    model.linear("b");
    model.linear("c");
    if (i == 0) model.linear("c");
    model.close(iteration);
  }
  const LayerDivision division = model.divided();
  ASSERT_EQ(division.groups.size(), 1u);
  EXPECT_EQ(division.groups[0].unique, "a");
  EXPECT_THAT(division.groups[0].duplicates, ElementsAre("b"));
  EXPECT_EQ(division.groups[0].kernels, 2u);
  EXPECT_EQ(division.kernels, 7u);
}

TEST(EqualLayers, WithoutModulesThereAreNone) {
  Model model;
  model.run("aten::mm", "[[8, 8]]", "gemm");
  const LayerDivision division = model.divided();
  EXPECT_TRUE(division.groups.empty());
  EXPECT_EQ(division.kernels, 1u);
}

}  // namespace
}  // namespace frx::derive::trace
