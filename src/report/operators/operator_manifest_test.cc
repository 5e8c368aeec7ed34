#include "report/operators/operator_manifest.h"

#include <gmock/gmock.h>

#include "report/operators/manifest_attribution.h"

namespace frx::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OperatorManifest manifest_in(std::string_view json) {
  Result<OperatorManifest> manifest = read_operator_manifest("manifest.json", json);
  if (!manifest) ADD_FAILURE() << to_string(manifest.error());
  return manifest ? std::move(*manifest) : OperatorManifest();
}

std::string manifest_error(std::string_view json) {
  const Result<OperatorManifest> manifest = read_operator_manifest("manifest.json", json);
  return manifest ? "no error" : to_string(manifest.error());
}

constexpr std::string_view three_kernels =
    R"({"schema_version": "1.0", "capture_metadata": {"model_name": "net", "measure_iters": 2}, "kernels": [
  {"kernel_id": "k_2", "kernel_name": "late", "stream_id": 7, "device_id": 0, "start_ns": 300, "end_ns": 310, "duration_ns": 10,
   "attribution": {"method": "unattributed", "source_operators": [], "confidence": "unattributed"}},
  {"kernel_id": "k_0", "kernel_name": "gemm", "stream_id": 7, "device_id": 0, "start_ns": 100, "end_ns": 130, "duration_ns": 30, "grid_dim": [4, 1, 1],
   "block_dim": [128, 1, 1], "layer_partition": "a", "is_unique_partition": true,
   "attribution": {"method": "nvtx", "source_operators": ["aten::mm, op_id = 3", "aten::linear"], "confidence": "medium",
                   "nvtx_range": {"text": "aten::mm, op_id = 3", "depth": 1, "start_ns": 90, "end_ns": 95}}},
  {"kernel_id": "k_1", "kernel_name": "split", "stream_id": 7, "device_id": 0, "start_ns": 200, "end_ns": 205, "duration_ns": 5,
   "attribution": {"method": "nvtx", "source_operators": ["aten::mm, op_id = 3"], "confidence": "medium",
                   "nvtx_range": {"text": "aten::mm, op_id = 3", "depth": 1, "start_ns": 90, "end_ns": 95}}}]})";

TEST(OperatorManifest, KernelsOfOneRangeAreOneCall) {
  const OperatorManifest manifest = manifest_in(three_kernels);
  ASSERT_EQ(manifest.kernels.size(), 3u);
  EXPECT_EQ(manifest.kernels[0].id, "k_0") << "by start";
  EXPECT_EQ(manifest.capture.measured_iterations, 2u);
  const std::vector<ManifestOperator> calls = operators_in(manifest);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(manifest.names[calls[0].name], "aten::mm") << "the numbers of the call are no part of the name";
  EXPECT_THAT(calls[0].kernels, ElementsAre(0, 1));
  const OperatorReport report = operator_report_of(manifest, "manifest.json");
  EXPECT_EQ(report.kernel_ns, 45);
  EXPECT_EQ(report.unattributed.gpu_ns, 10);
  EXPECT_EQ(report.operators[0].longest_kernel, "gemm");
}

TEST(OperatorManifest, WhatIsNoneIsNamed) {
  EXPECT_THAT(manifest_error("["), HasSubstr("manifest.json: expected a manifest of operators in JSON"));
  EXPECT_THAT(manifest_error("{}"), HasSubstr("as the file"));
  EXPECT_THAT(manifest_error(R"({"schema_version": "2.0", "kernels": []})"), HasSubstr("found '2.0', as schema_version"));
  EXPECT_THAT(manifest_error(R"({"schema_version": "1.0", "kernels": 3})"), HasSubstr("expected a list as kernels"));
  EXPECT_THAT(manifest_error(R"({"schema_version": "1.0", "kernels": [{"kernel_name": "k"}]})"), HasSubstr("kernels[0].start_ns"));
  EXPECT_THAT(manifest_error(R"({"schema_version": "1.0", "kernels": [{"kernel_name": "k", "start_ns": 1, "duration_ns": -2}]})"),
              HasSubstr("kernels[0].duration_ns"));
  EXPECT_THAT(manifest_error(R"({"schema_version": "1.0", "kernels": [{"kernel_name": "k", "start_ns": 1, "duration_ns": 2}]})"),
              HasSubstr("kernels[0].attribution"));
}

TEST(ManifestAttribution, OperatorsOfAnotherRunAreFoundByOrder) {
  OperatorManifest manifest = manifest_in(three_kernels);
  ASSERT_TRUE(attribute_by_correlation(manifest, "corr.json", R"({"entries": [
    {"kernel_name": "gemm", "invocation": 0, "op_name": "aten::addmm"}, {"kernel_name": "late", "invocation": 7, "op_name": "aten::add"}]})"));
  EXPECT_EQ(manifest.names[manifest.kernels[0].operators[0]], "aten::addmm");
  EXPECT_EQ(manifest.kernels[0].confidence, "high");
  EXPECT_EQ(manifest.kernels[1].confidence, "medium") << "the other run had an operator for the other two only";
  EXPECT_EQ(manifest.names[manifest.kernels[2].operators[0]], "aten::add") << "numbers of invocations are not needed";
  EXPECT_EQ(manifest.kernels[2].method, "torch_profiler");
}

TEST(ManifestAttribution, AnotherProgramIsNotUsed) {
  OperatorManifest manifest = manifest_in(three_kernels);
  ASSERT_TRUE(attribute_by_correlation(manifest, "corr.json", R"({"entries": [{"kernel_name": "other", "op_name": "aten::add"}]})"));
  EXPECT_EQ(manifest.kernels[0].method, "nvtx");
  ASSERT_EQ(manifest.warnings.size(), 1u);
  EXPECT_THAT(manifest.warnings[0], HasSubstr("0 of 1 kernel were found"));
  const Result<> damaged = attribute_by_correlation(manifest, "corr.json", R"({"entries": [{"kernel_name": "k"}]})");
  EXPECT_THAT(to_string(damaged.error()), HasSubstr("corr.json: expected a name as entries[0].op_name"));
}

TEST(ManifestAttribution, InductorNamesTheOperatorsOfItsKernels) {
  ingest::InductorCode code;
  code.take(
      "    # Topologically Sorted Source Nodes: [x], Original ATen: [aten.add, aten.relu.default, prims.convert_element_type]\n"
      "    stream0 = get_raw_stream(0)\n    late.run(buf0, 4, stream=stream0)\n"
      "    # Original ATen: [aten.mm]\n    extern_kernels.mm(a, b)\n    gemm.run(c)\n");
  OperatorManifest manifest = manifest_in(three_kernels);
  attribute_by_inductor(manifest, code);
  const ManifestKernel& late = manifest.kernels[2];
  EXPECT_EQ(late.method, "inductor_fusion");
  EXPECT_TRUE(late.is_fused);
  ASSERT_EQ(late.operators.size(), 2u);
  EXPECT_EQ(manifest.names[late.operators[1]], "aten::relu");
  EXPECT_EQ(code.kernels.count("gemm"), 0u) << "another statement stands between it and the comment";
  code.take("# Original ATen: [aten.sub]\nlate.run(x)\n");
  OperatorManifest again = manifest_in(three_kernels);
  attribute_by_inductor(again, code);
  EXPECT_EQ(again.kernels[2].method, "unattributed") << "two graphs have a kernel of that name";
}

}  // namespace
}  // namespace frx::report
