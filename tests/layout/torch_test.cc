// The simulated operators call what PyTorch calls: torch_trees.txt holds what it recorded. And they copy, and are seen, as is said of them.
#include "layout/torch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace frx::testing::layout {
namespace {

// The row of torch_trees.py leaves these out, with what is below them.
bool is_leaf_of_rows(std::string_view name) {
  static constexpr std::array leaves = {"aten::mm",   "aten::bmm", "aten::addmm", "aten::relu",
                                        "aten::mul",  "aten::add", "aten::sum",   "aten::threshold_backward",
                                        "aten::fill_"};
  return std::ranges::find(leaves, name) != leaves.end();
}

const Gpu a100 = {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 2.039e6, 40e6, 19.5e6, 312e6, 156e6, 85899345920};

struct Machine {
  Recording recording = {.name = "strides"};
  Recorder recorder{a100, recording, 1};
  Torch torch{recorder, a100};

  explicit Machine(bool is_training = false) {
    torch.has_reshape_alias = true;  // as PyTorch 1.13
    torch.is_training = recorder.is_grad_mode = is_training;
    recorder.begin_step(0);
  }
  nlohmann::json events() {
    recorder.end_step();
    return nlohmann::json::parse(recorder.json())["traceEvents"];
  }
  std::string names() {
    std::vector<nlohmann::json> operators;
    for (const nlohmann::json& event : events()) {
      if (event["cat"] == "cpu_op") operators.push_back(event);
    }
    std::ranges::sort(operators, {}, [](const nlohmann::json& event) { return event["args"]["Ev Idx"].get<int>(); });
    std::string text;
    double leaf_end = 0;
    for (const nlohmann::json& event : operators) {
      const std::string name = event["name"];
      if (event["ts"] < leaf_end) continue;
      text += " " +
              (name.starts_with("autograd::engine::evaluate_function: ") ? "autograd::engine::evaluate_function:" + name.substr(37) : name);
      if (is_leaf_of_rows(name)) leaf_end = event["ts"].get<double>() + event["dur"].get<double>();
    }
    return text;
  }
};

using Case = std::function<void(Torch&)>;

// The cases of torch_trees.py by their names.
std::map<std::string_view, Case> cases() {
  const auto matrix = [](Torch& torch) { return torch.given({8, 4}, Scalar::f32); };
  const auto image = [](Torch& torch) { return torch.given({2, 8, 4, 4}, Scalar::f32); };
  const auto query = [](Torch& torch) { return torch.given({2, 8, 4, 16}, Scalar::f32); };
  return {
      {"contiguous", [=](Torch& torch) { torch.contiguous(torch.t(matrix(torch))); }},
      {"contiguous_without_effect", [=](Torch& torch) { torch.contiguous(matrix(torch)); }},
      {"reshape_that_views", [=](Torch& torch) { torch.reshape(matrix(torch), {32}); }},
      {"reshape_that_copies", [=](Torch& torch) { torch.reshape(torch.t(matrix(torch)), {32}); }},
      {"clone_of_transposed", [=](Torch& torch) { torch.clone(torch.t(matrix(torch))); }},
      {"clone_of_slice", [=](Torch& torch) { torch.clone(torch.slice(matrix(torch), 1, 0, 3)); }},
      {"to_double", [=](Torch& torch) { torch.to(matrix(torch), Scalar::f64); }},
      {"to_same_type", [=](Torch& torch) { torch.to(matrix(torch), Scalar::f32); }},
      {"to_channels_last", [=](Torch& torch) { torch.to_channels_last(image(torch)); }},
      {"contiguous_channels_last", [=](Torch& torch) { torch.contiguous(image(torch), Format::channels_last); }},
      {"views",
       [=](Torch& torch) {
         const Tensor x = torch.squeeze(torch.unsqueeze(matrix(torch), 0), 0);
         torch.expand(torch.select(torch.permute(torch.transpose(x, 0, 1), {1, 0}), 0, 1), {3, 4});
       }},
      {"matmul_of_heads",
       [=](Torch& torch) {
         const Tensor left = torch.transpose(query(torch), 1, 2), right = torch.transpose(query(torch), 1, 2);
         torch.matmul(left, torch.transpose(right, -2, -1));
       }},
      {"matmul_of_expanded",
       [](Torch& torch) {
         const Tensor scores = torch.given({2, 1, 3, 3}, Scalar::f32), values = torch.given({2, 4, 3, 5}, Scalar::f32);
         torch.matmul(torch.expand(scores, {2, 4, 3, 3}), values);
       }},
      {"softmax_of_permuted",
       [](Torch& torch) {
         torch.softmax(torch.permute(torch.given({4, 8, 8}, Scalar::f32), {2, 0, 1}));
       }},
      {"backward_of_transposed",
       [=](Torch& torch) {
         const Tensor weight = torch.parameter({4, 8}, Scalar::f32), other = matrix(torch);
         torch.backward(torch.sum(torch.unary("relu", torch.binary("mul", torch.contiguous(torch.t(weight)), other))));
       }},
      {"backward_of_product",
       [](Torch& torch) {
         const Tensor left = torch.parameter({8, 4}, Scalar::f32), right = torch.parameter({6, 4}, Scalar::f32);
         torch.backward(torch.sum(torch.unary("relu", torch.mm(left, torch.t(right)))));
       }},
  };
}

TEST(SimulatedTorch, CallsWhatPyTorchCalls) {
  const std::map<std::string_view, Case> all = cases();
  std::size_t rows = 0;
  const std::string table = read_file(FRX_REPOSITORY "/tests/layout/torch_trees.txt").value();
  for (const std::string_view line : split(table, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view name = line.substr(0, line.find(' '));
    ASSERT_TRUE(all.contains(name)) << name;
    Machine machine(name.starts_with("backward"));
    all.at(name)(machine.torch);
    EXPECT_EQ(std::string(trim(machine.names())), trim(line.substr(name.size()))) << name;
    ++rows;
  }
  EXPECT_EQ(rows, all.size());
}

std::vector<CopyKind> kinds_of(Machine& machine) {
  std::vector<CopyKind> kinds;
  for (const CopySeen& copy : machine.recorder.seen().copies) kinds.push_back(copy.kind);
  return kinds;
}

TEST(SimulatedTorch, KnowsWhatKindOfCopyItMade) {
  const auto kinds = [](const Case& run) {
    Machine machine;
    run(machine.torch);
    return kinds_of(machine);
  };
  using enum CopyKind;
  const auto matrix = [](Torch& torch) { return torch.given({8, 4}, Scalar::f32); };
  EXPECT_EQ(kinds([&](Torch& torch) { torch.contiguous(torch.t(matrix(torch))); }), std::vector{relayout});
  EXPECT_EQ(kinds([&](Torch& torch) { torch.contiguous(matrix(torch)); }), std::vector<CopyKind>{});
  EXPECT_EQ(kinds([&](Torch& torch) { torch.clone(torch.t(matrix(torch))); }), std::vector{plain});
  EXPECT_EQ(kinds([&](Torch& torch) { torch.contiguous(torch.slice(matrix(torch), 1, 0, 2)); }), std::vector{compact});
  EXPECT_EQ(kinds([&](Torch& torch) {
              torch.contiguous(torch.expand(torch.given({1, 4}, Scalar::f32), {8, 4}));
            }),
            std::vector{materialise});
  EXPECT_EQ(kinds([&](Torch& torch) { torch.to(torch.t(matrix(torch)), Scalar::f16); }), std::vector{cast});
  EXPECT_EQ(kinds([&](Torch& torch) { torch.to_gpu(matrix(torch)); }), std::vector{transfer});
  // What cuBLAS takes as it is: transposed, with gaps between rows, the same matrix for a whole batch.
  EXPECT_EQ(kinds([&](Torch& torch) { torch.mm(torch.t(matrix(torch)), matrix(torch)); }), std::vector<CopyKind>{});
  EXPECT_EQ(kinds([&](Torch& torch) {
              torch.mm(torch.slice(matrix(torch), 1, 0, 2), torch.given({2, 3}, Scalar::f32));
            }),
            std::vector<CopyKind>{});
  EXPECT_EQ(kinds([&](Torch& torch) {
              torch.mm(torch.slice(matrix(torch), 1, 0, 4, 2), torch.given({2, 3}, Scalar::f32));
            }),
            std::vector{compact});
  EXPECT_EQ(kinds([&](Torch& torch) {
              const Tensor one = torch.expand(torch.given({1, 4, 6}, Scalar::f32), {5, 4, 6});
              torch.bmm(torch.given({5, 3, 4}, Scalar::f32), one);
            }),
            std::vector<CopyKind>{});
}

// A convolution whose input was converted and whose weight was not converts the weight; both NHWC: nothing.
TEST(SimulatedTorch, ConvolutionsTakeTheLayoutOfEither) {
  for (const bool is_weight_last : {false, true}) {
    Machine machine;
    Torch& torch = machine.torch;
    Tensor x = torch.given({2, 16, 8, 8}, Scalar::f16), weight = torch.parameter({32, 16, 3, 3}, Scalar::f16);
    x.strides = channels_last_strides(x.sizes);
    if (is_weight_last) weight.strides = channels_last_strides(weight.sizes);
    const Tensor y = torch.conv2d(x, weight, std::nullopt, {.padding = 1});
    EXPECT_EQ(y.sizes, (Extents{2, 32, 8, 8}));
    EXPECT_TRUE(is_channels_last(y));
    EXPECT_EQ(machine.recorder.seen().copies.size(), is_weight_last ? 0U : 1U);
    ASSERT_EQ(machine.recorder.seen().convolutions.size(), 1U);
    EXPECT_FALSE(machine.recorder.seen().convolutions[0].has_relayout_kernels);
  }
  Machine machine;
  const Tensor x = machine.torch.given({2, 16, 8, 8}, Scalar::f16), weight = machine.torch.parameter({32, 16, 3, 3}, Scalar::f16);
  machine.torch.conv2d(x, weight, std::nullopt, {.padding = 1});
  EXPECT_TRUE(machine.recorder.seen().convolutions[0].has_relayout_kernels);
  int conversions = 0;
  for (const nlohmann::json& event : machine.events()) {
    conversions += event["cat"] == "kernel" && event["name"].get<std::string>().find("nchwToNhwcKernel") != std::string::npos;
  }
  EXPECT_EQ(conversions, 2);  // of the input and of the weight, as in a recording of AlexNet on an A100
}

Extents extents_of_row(std::string_view text) {
  Extents result;
  for (const std::string_view part : split(text, ',')) result.push_back(std::stoll(std::string(part)));
  return result;
}

// "2,4,6,6/144,36,6,1"
Tensor tensor_of_row(std::string_view text) {
  const std::size_t slash = text.find('/');
  return {.sizes = extents_of_row(text.substr(0, slash)), .strides = extents_of_row(text.substr(slash + 1))};
}

// Rows "convolution INPUT;WEIGHT - RESULT" of torch_strides.txt.
TEST(SimulatedTorch, ConvolutionsReturnTheLayoutThatPyTorchDoes) {
  int rows = 0;
  const std::string table = read_file(FRX_REPOSITORY "/tests/layout/torch_strides.txt").value();
  for (const std::string_view line : split(table, '\n')) {
    const auto columns = split(line, ' ');
    if (columns.size() != 4 || columns[0] != "convolution") continue;
    const auto operands = split(columns[1], ';');
    Machine machine;
    const Tensor y = machine.torch.conv2d(tensor_of_row(operands[0]), tensor_of_row(operands[1]), std::nullopt, {.padding = 0});
    EXPECT_EQ(y.sizes, tensor_of_row(columns[3]).sizes) << line;
    EXPECT_EQ(y.strides, tensor_of_row(columns[3]).strides) << line;
    ++rows;
  }
  EXPECT_GE(rows, 15);
}

// Each kernel begins after its launch, within the operator that launched it; operators nest.
TEST(SimulatedTorch, EventsAreInOrder) {
  Machine machine(true);
  cases().at("backward_of_product")(machine.torch);
  std::map<int, double> launches;
  std::vector<std::pair<double, double>> open;
  const nlohmann::json events = machine.events();
  for (const nlohmann::json& event : events) {
    if (event["cat"] == "cuda_runtime") launches[event["args"]["correlation"]] = event["ts"];
  }
  int kernels = 0;
  for (const nlohmann::json& event : events) {
    if (event["cat"] != "kernel") continue;
    ++kernels;
    ASSERT_TRUE(launches.contains(event["args"]["correlation"]));
    const double launch = launches[event["args"]["correlation"]];
    EXPECT_GT(event["ts"], launch);
    EXPECT_TRUE(std::ranges::any_of(events, [&](const nlohmann::json& one) {
      return one["cat"] == "cpu_op" && one["args"]["External id"] == event["args"]["External id"] && one["ts"] <= launch &&
             launch <= one["ts"].get<double>() + one["dur"].get<double>();
    }));
  }
  EXPECT_GE(kernels, 7);
}

// Nodes of autograd carry the number of the operator that made them; the thread of autograd is another one.
TEST(SimulatedTorch, BackwardNodesCarryTheNumbersOfForwardOperators) {
  Machine machine(true);
  machine.recorder.next_sequence = 40;
  cases().at("backward_of_product")(machine.torch);
  std::map<std::string, int> numbers;
  std::map<std::string, int> threads;
  for (const nlohmann::json& event : machine.events()) {
    if (event["cat"] != "cpu_op" || !event["args"].contains("Sequence number")) continue;
    numbers.emplace(event["name"], event["args"]["Sequence number"]);
    threads.emplace(event["name"], event["tid"]);
  }
  EXPECT_EQ(numbers["aten::t"], 40);
  EXPECT_EQ(numbers["TBackward0"], 40);
  EXPECT_EQ(numbers["aten::mm"], 41);
  EXPECT_EQ(numbers["MmBackward0"], 41);
  EXPECT_EQ(numbers["ReluBackward0"], 42);
  EXPECT_NE(threads["aten::mm"], threads["MmBackward0"]);
}

}  // namespace
}  // namespace frx::testing::layout
