#include "frx/frx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr std::string_view ptx =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry square(.param .u64 data)\n{\n  .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1, [data];\n  ret;\n}\n";

struct Reply {
  int code = -1;
  Json json;
};

// The reply of `function`, as JSON; frees the reply.
template <typename Function>
Reply reply_of(Function function) {
  char* text = nullptr;
  Reply reply;
  reply.code = function(&text);
  if (text != nullptr) reply.json = Json::parse(text);
  frx_free(text);
  return reply;
}

Reply call(std::string_view request) {
  return reply_of([&](char** reply) { return frx_call(request.data(), request.size(), reply); });
}

Reply analyze_ptx(std::string_view text, const char* gpu_model = nullptr) {
  return reply_of([&](char** reply) { return frx_analyze_ptx_text(text.data(), text.size(), gpu_model, reply); });
}

TEST(CAbi, CallsACommandAndReturnsWhatItPrints) {
  const Reply reply = call(R"({"arguments": ["--version"]})");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.json["exit_code"], 0);
  EXPECT_THAT(reply.json["output"].get<std::string>(), HasSubstr(frx_version()));
  EXPECT_EQ(reply.json["messages"], "");
}

TEST(CAbi, ReturnsTheExitCodeAndWordsOfACommandThatFails) {
  const Reply reply = call(R"({"arguments": ["analyze", "/no/such/file.csv", "--json"]})");
  EXPECT_EQ(reply.code, 1);
  EXPECT_EQ(reply.json["exit_code"], 1);
  EXPECT_THAT(reply.json["messages"].get<std::string>(), HasSubstr("/no/such/file.csv"));
}

TEST(CAbi, RefusesWhatIsNoRequest) {
  const std::string deep(100000, '[');
  for (const std::string_view request : std::initializer_list<std::string_view>{
           "", "{", "[]", "{\"arguments\": 1}", "{\"arguments\": [1]}", "\xff", deep, "{\"arguments\": [\"analyze\", {\"a\": [1]}]}"}) {
    const Reply reply = call(request);
    EXPECT_EQ(reply.code, 2);
    EXPECT_THAT(reply.json["messages"].get<std::string>(), HasSubstr("arguments"));
  }
  EXPECT_EQ(frx_call("{}", 2, nullptr), -1);
  EXPECT_EQ(reply_of([](char** reply) { return frx_call(nullptr, 0, reply); }).code, 2);
}

TEST(CAbi, AnswersARequestOfTheHttpApi) {
  const Reply reply = call(R"({"path": "/reconcile", "body": {"static": {"findings": [{"code": "uncoalesced_access"}]}}})");
  EXPECT_EQ(reply.code, 0) << reply.json;
  const Json result = Json::parse(reply.json["output"].get<std::string>());
  EXPECT_EQ(result["schema"], "reconciliation_v1");
  EXPECT_EQ(result["diagnoses"][0]["label"], "inefficient_global_memory_access");
}

TEST(CAbi, ReadsNoFileOfSettings) {
  const frx::TemporaryDirectory folder = *frx::TemporaryDirectory::make("/tmp");
  ASSERT_TRUE(frx::write_file(folder.file(".frx.yaml"), "format: markdown\nno_such_key: 1\n"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Reply reply = call(R"({"arguments": ["gpu", "show", "l4"]})");
  std::filesystem::current_path(before);
  EXPECT_EQ(reply.code, 0) << reply.json;
  EXPECT_THAT(reply.json["output"].get<std::string>(), HasSubstr("FRX GPU l4"));
}

TEST(CAbi, SaysWhatIsWrongWithARequestOfTheHttpApi) {
  const Reply wrong = call(R"({"path": "/reconcile", "body": {"static": 7}})");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.json["messages"], "frx: static: expected the result of an analysis\n");
  EXPECT_EQ(call(R"({"path": "/no/such", "body": {}})").code, 2);
  EXPECT_EQ(call(R"({"path": "reconcile", "body": {}})").code, 2);
  EXPECT_EQ(call(R"({"path": "/reconcile", "body": []})").code, 2);
  EXPECT_EQ(call(R"({"path": "/ptx/analyze", "body": {"ptx_text": "int main() {}"}})").code, 1);
}

TEST(CAbi, AnalysesPtxThatIsInMemory) {
  const Reply reply = analyze_ptx(ptx);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.json["schema"], "ptx_analysis_v1");
  EXPECT_EQ(reply.json["kernels"][0]["kernel_name"], "square");
}

TEST(CAbi, SaysWhatIsWrongWithATextOrAGpu) {
  const Reply no_ptx = analyze_ptx("int main() {}");
  EXPECT_EQ(no_ptx.code, 1);
  EXPECT_THAT(no_ptx.json["error"]["message"].get<std::string>(), HasSubstr("expected PTX"));
  EXPECT_NE(analyze_ptx(ptx, "no such GPU").code, 0);
}

TEST(CAbi, AnalysesAnExportThatIsInMemory) {
  const std::string_view csv =
      "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"copy\",\"gpu__time_duration.sum\",\"us\",\"12.5\"\n"
      "\"copy\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"92\"\n";
  const Reply reply = reply_of([&](char** text) { return frx_analyze_ncu_csv_text(csv.data(), csv.size(), "H100", text); });
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.json["primary_bottleneck"], "memory_bandwidth_bound");
}

TEST(CAbi, AnswersSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> codes(4, -1);
  for (int& code : codes) threads.emplace_back([&code] { code = analyze_ptx(ptx).code; });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(codes, std::vector<int>(4, 0));
}

}  // namespace
