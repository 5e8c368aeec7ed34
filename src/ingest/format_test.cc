#include "ingest/format.h"

#include <gtest/gtest.h>

#include "ingest/observation.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::catalogue;

// The id of the format of these bytes under this name; "" for none.
std::string format_of(std::string name, std::string bytes) {
  Source source = Source::of(std::move(name), std::move(bytes));
  const Result<Recognised> recognised = recognise(source, catalogue());
  return recognised && recognised->format ? std::string(recognised->format->id) : std::string();
}

constexpr std::string_view kernel = "#include <cuda.h>\n__global__ void copy(float* a) {}\n";
constexpr std::string_view table =
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"copy\",\"a\",\"%\",\"1\"\n";

TEST(Recognise, GoesByContentBeforeTheName) {
  EXPECT_EQ(format_of("kernel.txt", std::string(kernel)), "cuda");
  EXPECT_EQ(format_of("kernel.cu", ".version 8.0\n.target sm_90\n"), "ptx");
  EXPECT_EQ(format_of("report.json", std::string(table)), "ncu-csv");
  EXPECT_EQ(format_of("trace", "{\"schemaVersion\": 1, \"traceEvents\": []}"), "pytorch-trace");
  EXPECT_EQ(format_of("run", "PK\x03\x04 and more"), "run-bundle");
  EXPECT_EQ(format_of("build.txt", "ptxas info    : Compiling entry function '_Z4copyPf' for 'sm_90'\n"), "ptxas-log");
  EXPECT_EQ(format_of("report", "SQLite format 3\0 and pages"), "nsys-database");
}

TEST(Recognise, TakesTheNameWhereTheContentSaysNothing) {
  EXPECT_EQ(format_of("empty.cu", ""), "cuda");
  EXPECT_EQ(format_of("helpers.CUH", "inline int add(int a, int b) { return a + b; }\n"), "cuda");
  EXPECT_EQ(format_of("broken.ptx", "// nothing here\n"), "ptx");
  EXPECT_EQ(format_of("damaged.zip", "no archive"), "run-bundle");
  EXPECT_EQ(format_of("other.json", "no JSON"), "pytorch-trace");
  EXPECT_EQ(format_of("app.nsys-rep", "bytes"), "nsys-report");
  EXPECT_EQ(format_of("notes.txt", "nothing known"), "");
}

TEST(Recognise, DoesNotTakeCodeThatPrintsATableForOne) {
  const std::string prints = "int main() {\n  // Metric Name  Metric Unit Metric Value\n  // dram__bytes.sum byte 1,024\n" +
                             std::string("  // sm__throughput.avg.pct_of_peak_sustained_elapsed % 12.5\n}\n");
  EXPECT_EQ(format_of("prints.cu", prints), "cuda");
  EXPECT_EQ(format_of("prints.txt", std::string(table)), "ncu-csv");
}

TEST(Recognise, DoesNotTakeALogForCuda) {
  EXPECT_EQ(format_of("run.log", "launching copy<<<grid, block>>>(a)\ndone in 3 ms\n"), "");
  EXPECT_EQ(format_of("run.log", "warning: a '__global__ void copy(float*)' is never launched\n"), "");
  EXPECT_EQ(format_of("run.log", "error: calling a __global__ function from a __device__ function\n"), "");
  EXPECT_EQ(format_of("run.log", "template <class T>\n__global__ void __launch_bounds__(256) copy(T* a);\n"), "cuda");
}

TEST(Recognise, DoesNotTakeJsonForATable) {
  EXPECT_EQ(format_of("oracle.jsonl", "{\"Kernel Name\": \"copy\", \"dram__bytes.sum\": 1}\n"), "pytorch-trace");
}

TEST(Recognise, SaysHowSureItIs) {
  const auto match_of = [](std::string name, std::string bytes) {
    Source source = Source::of(std::move(name), std::move(bytes));
    return recognise(source, catalogue()).value().match;
  };
  EXPECT_EQ(match_of("trace", "{\"traceEvents\": []}"), Match::certain);
  EXPECT_EQ(match_of("settings.json", "{\"a\": 1}"), Match::likely);
  EXPECT_EQ(match_of("settings.json", "a: 1"), Match::no);
}

TEST(Recognise, FindsATableBehindTheOutputOfTheProgram) {
  EXPECT_EQ(format_of("run.log", "__global__ void printed(by the program\n==PROF== Connected\n" + std::string(table)), "ncu-csv");
}

TEST(Recognise, OfEquallySureFormatsTakesTheOneThatTheNameSuggests) {
  // A list of attributes begins like a list of objects; only the name identifies a source that begins so.
  EXPECT_EQ(format_of("trace.json", "{\"a\": 1}"), "pytorch-trace");
  EXPECT_EQ(format_of("unnamed", "{\"a\": 1}"), "pytorch-trace");
}

TEST(Observe, ReadsIntoTheModelOfItsKind) {
  Source ptx = Source::of("k.ptx", ".version 8.0\n.target sm_90\n.visible .entry k() { ret; }\n");
  EXPECT_EQ(observe(ptx, {catalogue()}).value().kind(), Kind::ptx);
  Source cuda = Source::of("k.cu", std::string(kernel));
  EXPECT_EQ(observe(cuda, {catalogue()}).value().kind(), Kind::cuda);
  Source profile = Source::of("r.csv", std::string(table));
  EXPECT_EQ(observe(profile, {catalogue()}).value().kind(), Kind::profile);
  Source log = Source::of("log", "ptxas info    : Compiling entry function 'copy' for 'sm_90'\nptxas info    : Used 8 registers\n");
  const Result<Observation> observed = observe(log, {catalogue()});
  ASSERT_TRUE(observed);
  EXPECT_EQ(std::get<model::CompilerLog>(observed->model).functions.size(), 1u);
}

TEST(Observe, SaysWhatToDoWithAFormatThatIsNotRead) {
  Source source = Source::of("app.nsys-rep", "NVIDIA Tegra Profiler Report");
  const Result<Observation> observed = observe(source, {catalogue()});
  ASSERT_FALSE(observed);
  EXPECT_NE(observed.error().message.find("an Nsight Systems report"), std::string::npos);
  EXPECT_FALSE(observed.error().hint.empty());
}

}  // namespace
}  // namespace frx::ingest
