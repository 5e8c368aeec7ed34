// What the writer wrote is read back by a walk of its own, which knows nothing of frx's reader.
#include "support/ncu_report_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <protozero/pbf_reader.hpp>

#include "support/ncu_report_from_yaml.h"

namespace frx::testing {
namespace {

using protozero::pbf_reader;

pbf_reader reader_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string_view take_sized(std::string_view& bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < 4) return {};
  std::memcpy(&size, bytes.data(), 4);
  const std::string_view message = bytes.substr(4, size);
  EXPECT_EQ(message.size(), size);
  bytes.remove_prefix(4 + message.size());
  return message;
}

// The values of one field of a message, in their order.
std::vector<std::string> messages(std::string_view bytes, std::uint32_t tag) {
  std::vector<std::string> found;
  pbf_reader reader = reader_of(bytes);
  while (reader.next()) {
    if (reader.tag() == tag && reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
      found.push_back(reader.get_bytes());
    } else {
      reader.skip();
    }
  }
  return found;
}

std::string text(std::string_view bytes, std::uint32_t tag) {
  const std::vector<std::string> all = messages(bytes, tag);
  return all.empty() ? "" : all.front();
}

std::optional<std::uint64_t> number(std::string_view bytes, std::uint32_t tag) {
  pbf_reader reader = reader_of(bytes);
  while (reader.next()) {
    if (reader.tag() == tag) return reader.get_uint64();
    reader.skip();
  }
  return std::nullopt;
}

double real(std::string_view bytes, std::uint32_t tag) {
  pbf_reader reader = reader_of(bytes);
  while (reader.next()) {
    if (reader.tag() == tag) return reader.get_double();
    reader.skip();
  }
  ADD_FAILURE() << "no field " << tag;
  return 0;
}

std::array<std::uint64_t, 3> xyz(std::string_view bytes) {
  return {number(bytes, 1).value_or(99), number(bytes, 2).value_or(99), number(bytes, 3).value_or(99)};
}

struct Walked {
  std::vector<std::string> headers, sources, results, names;
  std::vector<std::vector<std::string>> tables;  // of each block

  // The metric message of that name.
  std::string metric(std::size_t result, std::string_view name) const {
    for (const std::string& message : messages(results.at(result), 13)) {
      if (names.at(number(message, 1).value()) == name) return message;
    }
    ADD_FAILURE() << "no metric " << name;
    return {};
  }
  std::string value(std::size_t result, std::string_view name) const { return text(metric(result, name), 2); }
};

Walked walk(std::string_view bytes) {
  Walked walked;
  EXPECT_EQ(bytes.substr(0, 4), std::string_view("NVR\0", 4));
  bytes.remove_prefix(4);
  EXPECT_EQ(number(take_sized(bytes), 1), 7u);
  while (!bytes.empty()) {
    const std::string header(take_sized(bytes));
    std::string_view payload = bytes.substr(0, number(header, 5).value_or(0));
    bytes.remove_prefix(payload.size());
    for (std::uint64_t i = 0; i < number(header, 1); ++i) walked.sources.emplace_back(take_sized(payload));
    for (std::uint64_t i = 0; i < number(header, 2); ++i) walked.results.emplace_back(take_sized(payload));
    EXPECT_EQ(payload, "");
    walked.tables.push_back(messages(text(header, 4), 1));
    walked.names.insert(walked.names.end(), walked.tables.back().begin(), walked.tables.back().end());
    walked.headers.push_back(header);
  }
  return walked;
}

Walked from_yaml(const std::string& yaml) {
  const Result<std::string> bytes = ncu_report_from_yaml("a.yaml", yaml);
  EXPECT_TRUE(bytes) << to_string(bytes.error());
  return bytes ? walk(*bytes) : Walked();
}

std::string yaml_refusal(const std::string& yaml) {
  const Result<std::string> bytes = ncu_report_from_yaml("a.yaml", yaml);
  return bytes ? "" : to_string(bytes.error());
}

using Names = std::vector<std::string>;

TEST(NcuReportWriter, WritesEveryKindOfValue) {
  NcuReportWriter writer;
  writer.add({.results = {{.metrics = {{"text", "EL1"},
                                       {"float", 1.5F},
                                       {"double", 2.25},
                                       {"uint32", std::uint32_t{7}},
                                       {"uint64", std::uint64_t{1} << 40},
                                       {"absent"},
                                       {"nan", std::nan("")}}}}});
  const Walked walked = walk(writer.bytes());
  EXPECT_EQ(text(walked.value(0, "text"), 1), "EL1");
  EXPECT_EQ(walked.value(0, "float"), std::string("\x15\0\0\xC0\x3F", 5));
  EXPECT_EQ(real(walked.value(0, "double"), 3), 2.25);
  EXPECT_EQ(number(walked.value(0, "uint32"), 4), 7u);
  EXPECT_EQ(number(walked.value(0, "uint64"), 5), std::uint64_t{1} << 40);
  EXPECT_TRUE(messages(walked.metric(0, "absent"), 2).empty());
  EXPECT_TRUE(std::isnan(real(walked.value(0, "nan"), 3)));
}

TEST(NcuReportWriter, MayDeclareNamesAfterTheirUse) {
  NcuReportWriter writer;
  writer.add({.results = {{.metrics = {{"late", 1.0}, {"early", 2.0}}}}, .late_names = {"late"}});
  writer.add({.results = {{.metrics = {{"early", 3.0}, {"other", 4.0}}}}, .names_come_later = true});
  const Walked walked = walk(writer.bytes());
  EXPECT_EQ(walked.tables, (std::vector<Names>{{"early"}, {}, {"late", "other"}}));
  EXPECT_EQ(real(walked.value(0, "late"), 3), 1.0);
  EXPECT_EQ(real(walked.value(1, "other"), 3), 4.0);
}

TEST(NcuReportWriter, WritesGridsInThreadsAsOldVersionsDid) {
  ReportLaunch launch{.grid = {10, 2, 1}, .block = {32, 4, 1}, .grid_in_threads = true};
  NcuReportWriter writer;
  writer.add({.results = {launch}});
  const Walked walked = walk(writer.bytes());
  EXPECT_EQ(xyz(text(walked.results[0], 10)), (std::array<std::uint64_t, 3>{320, 8, 1}));
  EXPECT_EQ(xyz(text(walked.results[0], 11)), (std::array<std::uint64_t, 3>{32, 4, 1}));
}

TEST(NcuReportWriter, MayLieAboutTheSizeOfAPayload) {
  NcuReportWriter writer;
  writer.add({.results = {{}}, .payload_size = 4'000'000'000u});
  const std::string report = writer.take();
  std::string_view bytes = std::string_view(report).substr(4);
  take_sized(bytes);
  EXPECT_EQ(number(take_sized(bytes), 5), 4'000'000'000u);
  EXPECT_EQ(writer.bytes(), "");
}

constexpr const char* small_report = R"yaml(
tool: 2024.3.2.0
device: {name: NVIDIA A100-SXM4-40GB, cc: 8.0, attributes: {multiprocessor_count: 108}}
process: {id: 12, name: app.exe, windows: true}
sources: [{reference: 5, sm: 8.6, ptx: .version 8.0, cubin: f0VMRg==, functions: {_Z4axpyPfi: 0x7000}, files: {axpy.cu: "int x;"}}]
launches:
  - kernel: "void blas::axpy<float>(float *, int)"
    mangled: _Z4axpyPfi
    grid: [108, 2]
    block: [256]
    source: 5
    metrics: {gpu__time_duration.sum: 12345.0, a: 12, b: ~, c: nan, d: "x y", e: {text: "12"}, f: {uint32: 3}}
    instances: {stalls: {0x10: 30, 0x20: 5}, a: {FADD: 12}}
    sections: {SpeedOfLight: GPU Speed Of Light Throughput}
    rules:
      - {id: SOLBottleneck, name: Bottleneck, section: SpeedOfLight, text: Look at DRAM, type: wrn, title: High, speedup: {local: 12.5},
         focus: {dram__x: 92}, markers: {0x10: here}}
      - {id: CPIStall}
    nvtx: {Torch: [step, forward]}
    nvtx_started: [epoch]
    host_stack: [main]
  - {kernel: ampere_sgemm_128x64_nn, stream: none}
)yaml";

TEST(NcuReportFromYaml, WritesTheNamesAndTheShapeOfALaunch) {
  const Walked walked = from_yaml(small_report);
  ASSERT_EQ(walked.results.size(), 2u);
  EXPECT_EQ(text(walked.results[0], 5), "_Z4axpyPfi");
  EXPECT_EQ(text(walked.results[0], 6), "axpy");
  EXPECT_EQ(text(walked.results[0], 7), "void blas::axpy<float>(float *, int)");
  EXPECT_EQ(xyz(text(walked.results[0], 10)), (std::array<std::uint64_t, 3>{108, 2, 1}));
  EXPECT_EQ(number(walked.results[0], 23), 7u);
  EXPECT_EQ(text(walked.results[1], 6), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(text(walked.results[1], 7), "");
  EXPECT_EQ(number(walked.results[1], 23), std::nullopt);
}

TEST(NcuReportFromYaml, KeepsTheKindsOfValues) {
  const Walked walked = from_yaml(small_report);
  EXPECT_EQ(real(walked.value(0, "gpu__time_duration.sum"), 3), 12345.0);
  EXPECT_EQ(number(walked.value(0, "a"), 5), 12u);
  EXPECT_TRUE(messages(walked.metric(0, "b"), 2).empty());
  EXPECT_TRUE(std::isnan(real(walked.value(0, "c"), 3)));
  EXPECT_EQ(text(walked.value(0, "d"), 1), "x y");
  EXPECT_EQ(text(walked.value(0, "e"), 1), "12");
  EXPECT_EQ(number(walked.value(0, "f"), 4), 3u);
  EXPECT_EQ(number(walked.value(1, "device__attribute_compute_capability_major"), 5), 8u);
}

TEST(NcuReportFromYaml, WritesInstancesAndTheirSum) {
  const Walked walked = from_yaml(small_report);
  EXPECT_EQ(number(walked.value(0, "stalls"), 5), 35u);
  const Names instances = messages(walked.metric(0, "stalls"), 3);
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(number(text(instances[1], 1), 5), 0x20u);
  EXPECT_EQ(number(text(instances[1], 2), 5), 5u);
  EXPECT_EQ(text(text(text(walked.metric(0, "a"), 3), 1), 1), "FADD");
}

TEST(NcuReportFromYaml, WritesRulesAndSections) {
  const std::string result = from_yaml(small_report).results[0];
  EXPECT_EQ(text(text(result, 17), 2), "GPU Speed Of Light Throughput");
  const Names rules = messages(result, 19);
  ASSERT_EQ(rules.size(), 2u);
  const std::string item = text(text(rules[0], 3), 1);
  EXPECT_EQ(text(text(item, 1), 1), "Look at DRAM");
  EXPECT_EQ(number(text(item, 1), 2), 2u);
  EXPECT_EQ(text(text(item, 8), 2), "dram__x");
  EXPECT_EQ(real(text(item, 8), 3), 92);
  EXPECT_EQ(number(text(item, 10), 1), 1u);
  EXPECT_EQ(real(text(item, 10), 2), 12.5);
  EXPECT_EQ(number(text(rules[0], 5), 3), 0x10u);
  EXPECT_TRUE(messages(rules[1], 3).empty());
}

TEST(NcuReportFromYaml, WritesOpenRangesAndTheCallStack) {
  const std::string result = from_yaml(small_report).results[0];
  const std::string state = text(result, 21);
  EXPECT_EQ(text(messages(state, 1).at(1), 2), "Torch");
  const std::string pushed = text(text(state, 2), 2);
  EXPECT_EQ(number(pushed, 1), 1u);
  EXPECT_EQ(text(messages(pushed, 3).at(1), 1), "forward");
  EXPECT_EQ(text(text(text(state, 3), 3), 2), "epoch");
  EXPECT_EQ(text(text(text(result, 28), 1), 4), "main");
}

TEST(NcuReportFromYaml, WritesSourcesAndTheSession) {
  const Walked walked = from_yaml(small_report);
  EXPECT_EQ(number(walked.sources.at(0), 6), 8u << 16 | 6u);
  EXPECT_EQ(text(walked.sources[0], 4), "\177ELF");
  EXPECT_EQ(number(text(text(walked.sources[0], 9), 1), 2), 0x7000u);
  EXPECT_EQ(text(text(text(walked.sources[0], 8), 1), 2), "int x;");
  Names session;
  for (const std::string& header : walked.headers) {
    EXPECT_EQ(text(text(header, 6), 3), std::string("app.exe\0", 8));
    session.push_back(text(text(text(header, 3), 8), 2) + text(text(text(header, 3), 6), 2));
  }
  // The start, the source, the first result, two facts of the session, the second result.
  EXPECT_EQ(session, (Names{"", "", "", "NVIDIA A100-SXM4-40GB", "2024.3.2.0 (build 1) (public-release)", ""}));
}

TEST(NcuReportFromYaml, DeclaresLateNamesAtTheEnd) {
  const Walked walked = from_yaml(
      "{tool: 2024.1, late_names: [b],\n"
      " launches: [{kernel: k, metrics: {a: 1, b: 2}}, {kernel: k, metrics: {a: 1, c: 3}}]}");
  EXPECT_EQ(walked.tables, (std::vector<Names>{{}, {"a"}, {}, {}, {"b", "c"}}));
}

TEST(NcuReportFromYaml, NamesTheLineOfWhatItDoesNotUnderstand) {
  EXPECT_EQ(yaml_refusal("tool: 2024.1\nlaunch: []\n"), "a.yaml:2: no key is called 'launch'");
  EXPECT_EQ(yaml_refusal("launches:\n  - grid: [x]\n"), "a.yaml:2: expected a whole number, found 'x'");
  EXPECT_EQ(yaml_refusal("launches:\n  - metrics: {a: {float32: 1}}\n"),
            "a.yaml:2: expected one of float, double, uint32, uint64, text, found 'float32'");
}

}  // namespace
}  // namespace frx::testing
