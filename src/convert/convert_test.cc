#include "convert/convert.h"

#include <gmock/gmock.h>

#include "convert/value_text.h"
#include "support/ncu_report_from_yaml.h"

namespace frx::convert {
namespace {

using ::testing::HasSubstr;

struct Text {
  std::string text;
  Result<Outcome> outcome;
};

Text converted(const std::string& yaml, const Request& request, std::size_t limit = ~std::size_t{0}) {
  static const Counters counters = Counters::load(knowledge::Library::builtin()).value();
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", yaml);
  if (!bytes) return {"", Failure{bytes.error()}};
  const std::unique_ptr<ByteSource> source = open_bytes(*bytes);
  Text made;
  made.outcome = convert_ncu_report(*source, request, counters, [&](std::string_view text) {
    made.text += text;
    return made.text.size() < limit;
  });
  return made;
}

std::string csv(const std::string& yaml) { return converted(yaml, {}).text; }

std::string json(const std::string& yaml) {
  Request request;
  request.format = Format::json;
  return converted(yaml, request).text;
}

TEST(PlainNumber, ReadsBackAsItWasAndHasNoExponent) {
  EXPECT_EQ(plain_number(1250), "1250");
  EXPECT_EQ(plain_number(0.1), "0.1");
  EXPECT_EQ(plain_number(1e-7), "0.0000001");
  EXPECT_EQ(plain_number(1.5e20), "150000000000000000000");
  EXPECT_EQ(plain_number(1e300), "1e+300");
}

TEST(Csv, GivesASpreadsheetNothingToCompute) {
  const auto cell = [](std::string_view text) {
    std::string out;
    append_csv(out, text);
    return out;
  };
  EXPECT_EQ(cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(cell("-2+3+cmd"), "'-2+3+cmd");
  EXPECT_EQ(cell("+k"), "'+k");
  for (const std::string_view text : {"-1.5", "+2", "k", "", "a=b", "void k<-1>()"}) EXPECT_EQ(cell(text), text);
}

TEST(Csv, WritesWhatIsNotThereAsNotAvailable) {
  const std::string text = csv("launches: [{kernel: k, metrics: {a__b.sum: nan, c__d.sum: ~, e__f.sum: inf}}]");
  EXPECT_THAT(text, HasSubstr("\"a__b.sum\",\"\",\"n/a\""));
  EXPECT_THAT(text, HasSubstr("\"c__d.sum\",\"\",\"n/a\""));
}

TEST(Csv, NamesTheDeviceOfTheSessionWhereNoLaunchDoes) {
  const std::string text = csv(R"(
device: {name: Tesla V100}
launches: [{kernel: k, metrics: {gpu__time_duration.sum: 1.0}}]
)");
  EXPECT_THAT(text, HasSubstr("\"device__attribute_display_name\",\"\",\"Tesla V100\""));
}

TEST(Csv, SaysTheUnitOfRatesThatOnlyTheCatalogueKnows) {
  EXPECT_THAT(csv("launches: [{kernel: k, metrics: {sm__ops_path_tensor_src_bf16_dst_fp32.sum.per_second: 1.0}}]"),
              HasSubstr("\"flop/s\",\"1\""));
}

TEST(Json, HasEachNameOnce) {
  EXPECT_THAT(json("launches: [{kernel: k, metrics: {a__b.sum: 1.0}}]"), HasSubstr("\"a__b.sum\":{\"value\":1,\"unit\":null}"));
}

TEST(Json, IsADocumentEvenWithoutLaunches) { EXPECT_THAT(json("tool: 2025.1.0.0\n"), HasSubstr("\"launches\": [],")); }

TEST(Conversion, StopsWhenNobodyReadsOn) {
  const Text made = converted("launches: [{kernel: a}, {kernel: b}, {kernel: c}]", {}, 1);
  ASSERT_TRUE(made.outcome);
  EXPECT_TRUE(made.outcome->stopped);
  EXPECT_EQ(made.outcome->launches, 1u);
}

TEST(Conversion, WritesNothingForAWishThatNoLaunchFulfils) {
  Request request;
  request.kernel = "gemm";
  const Text made = converted("launches: [{kernel: a}]", request);
  ASSERT_FALSE(made.outcome);
  EXPECT_EQ(made.outcome.error().message, "no launch with 'gemm' in the name of its kernel among 1 launch");
  EXPECT_EQ(made.text, "");
}

TEST(Conversion, TellsOfAReportCutOff) {
  const Text made = converted("cut_at: 60\nlaunches: [{kernel: a}]", {});
  EXPECT_FALSE(made.outcome);
}

}  // namespace
}  // namespace frx::convert
