#include "capture/gpu/gpu_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/gpu/fake_driver.h"
#include "capture/gpu/nvidia_smi.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A machine whose driver is one of the fakes, and a file of samples.
struct Machine {
  FakeHost host;
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  GpuSamplerOptions options{100ms, folder.file("gpu_metrics.csv")};

  static Machine with_nvml() {
    Machine machine;
    machine.host = host_with_nvml();
    return machine;
  }
  static Machine with_nvidia_smi() {
    Machine machine;
    machine.host = host_with_nvidia_smi();
    return machine;
  }

  std::string file() const { return read_file(options.csv_path).value_or("(no file)"); }
  std::vector<std::string> lines() const {
    const std::string text = file();
    std::vector<std::string> found;
    for (const std::string_view line : split(text, '\n')) found.emplace_back(line);
    found.pop_back();  // after the last line end
    return found;
  }
  // Samples until there are `wanted` lines below the header.
  GpuFacts run(std::size_t wanted) {
    Result<GpuSampler> sampler = GpuSampler::start(options, host);
    EXPECT_TRUE(sampler) << to_string(sampler.error());
    while (lines().size() < wanted + 1) ::usleep(5000);
    return sampler->stop();
  }
  // Stops once `done` accepts the warnings; they are only known at the end, so it samples for a while.
  GpuFacts run_for(std::chrono::milliseconds time) {
    Result<GpuSampler> sampler = GpuSampler::start(options, host);
    EXPECT_TRUE(sampler);
    ::usleep(static_cast<unsigned>(time.count()) * 1000);
    return sampler->stop();
  }
};

// The columns between the time and the clock.
std::string middle(const std::string& line) {
  const std::size_t first = line.find(',');
  return line.substr(first + 1, line.rfind(',') - first - 1);
}

TEST(GpuSampler, WritesTheDocumentedColumnsFirst) {
  EXPECT_TRUE(gpu_metrics_header().starts_with(
      "timestamp,index,name,utilization.gpu,utilization.memory,memory.used,memory.total,pcie.link.gen.current,pcie.link.width.current,"));
}

TEST(GpuSampler, LeavesEmptyWhatIsNotKnown) {
  const GpuSample nothing{.index = 3, .name = "a,\"b\""};
  EXPECT_EQ(gpu_metrics_line(nothing, "now", 7), "now,3,a  b ,,,,,,,,,,,,,,,7\n");
  const auto count = [](std::string_view text) { return std::count(text.begin(), text.end(), ','); };
  EXPECT_EQ(count(gpu_metrics_line({}, "", 0)), count(gpu_metrics_header()));
}

TEST(GpuSampler, AsksNvml) {
  Machine machine = Machine::with_nvml();
  const GpuFacts facts = machine.run(4);
  EXPECT_EQ(facts.source, "NVML 0.fake");
  EXPECT_EQ(facts.driver, "999.88.77");
  ASSERT_EQ(facts.gpus.size(), 2u);
  EXPECT_GE(facts.rounds, 2u);
  EXPECT_THAT(facts.warnings, IsEmpty());
  const std::vector<std::string> lines = machine.lines();
  EXPECT_EQ(lines[0] + "\n", gpu_metrics_header());
  EXPECT_EQ(middle(lines[1]),
            "0,Fake GPU,90,40,20480,81920,5,16,GPU-00000000-fake,1755,2619,345.67,700.00,61,0x0000000000000004,4711:1024;4712:");
  EXPECT_EQ(middle(lines[2]).substr(0, 13), "1,Fake GPU,89");
  EXPECT_TRUE(machine.file().ends_with('\n'));
}

TEST(GpuSampler, SamplesOnlyGpusOfTheWorkload) {
  Machine machine = Machine::with_nvml();
  machine.host.variables["CUDA_VISIBLE_DEVICES"] = "1";
  const GpuFacts facts = machine.run(2);
  ASSERT_EQ(facts.gpus.size(), 1u);
  EXPECT_EQ(facts.gpus[0].index, 1u);
  for (std::size_t i = 1; i < machine.lines().size(); ++i) EXPECT_TRUE(middle(machine.lines()[i]).starts_with("1,"));
}

TEST(GpuSampler, SaysWhenTheWorkloadMayUseNone) {
  Machine machine = Machine::with_nvml();
  machine.host.variables["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_THAT(machine.run_for(100ms).warnings, ElementsAre(HasSubstr("names no GPU")));
  EXPECT_EQ(machine.file(), gpu_metrics_header());
}

TEST(GpuSampler, AValueThatIsNotSupportedIsEmpty) {
  const Variable trouble("FAKE_NVML_TROUBLE", "utilization");
  Machine machine = Machine::with_nvml();
  machine.run(2);
  EXPECT_TRUE(middle(machine.lines()[1]).starts_with("0,Fake GPU,,,20480,"));
}

TEST(GpuSampler, AFailureIsToldOnceAndSamplingGoesOn) {
  const Variable trouble("FAKE_NVML_TROUBLE", "lost");
  Machine machine = Machine::with_nvml();
  EXPECT_THAT(machine.run_for(1000ms).warnings, ElementsAre(HasSubstr("a GPU sample failed"), HasSubstr("5 GPU samples in a row failed")));
  EXPECT_EQ(machine.file(), gpu_metrics_header());
}

TEST(GpuSampler, DoesNotWaitForADriverThatHangs) {
  const Variable trouble("FAKE_NVML_TROUBLE", "hang");
  Machine machine = Machine::with_nvml();
  EXPECT_THAT(machine.run_for(200ms).warnings, ElementsAre(HasSubstr("did not answer at the end")));
}

TEST(GpuSampler, WithoutADriverThereIsAHeaderAndAWarning) {
  Machine machine;
  EXPECT_THAT(machine.run_for(50ms).warnings, ElementsAre("no GPU metrics: no NVIDIA driver on this machine"));
  EXPECT_EQ(machine.file(), gpu_metrics_header());
}

TEST(GpuSampler, SaysWhyNvmlDoesNotStart) {
  const Variable trouble("FAKE_NVML_TROUBLE", "init");
  Machine machine = Machine::with_nvml();
  EXPECT_THAT(machine.run_for(100ms).warnings, ElementsAre(HasSubstr("NVML does not start: Driver Not Loaded")));
}

TEST(GpuSampler, AsksNvidiaSmiWhereThereIsNoNvml) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const Variable record("FAKE_SMI_RECORD", folder.file("starts").c_str());
  Machine machine = Machine::with_nvidia_smi();
  machine.host.variables["FRX_NVML_LIBRARY"] = "/nonexistent/libnvidia-ml.so.1";
  const GpuFacts facts = machine.run(6);
  EXPECT_EQ(facts.source, "nvidia-smi");
  EXPECT_EQ(facts.driver, "999.88");
  EXPECT_THAT(facts.warnings, IsEmpty());
  EXPECT_EQ(middle(machine.lines()[1]), "0,Fake GPU,70,30,1024,40960,4,16,GPU-fake-0,1500,2600,,300.00,55,0x0000000000000004,");
  EXPECT_EQ(middle(machine.lines()[2]).substr(0, 13), "1,Fake GPU,71");
  // One process for the list of GPUs and one for all samples.
  const std::string starts = read_file(folder.file("starts")).value_or("");
  EXPECT_EQ(std::count(starts.begin(), starts.end(), '\n'), 2) << starts;
}

TEST(GpuSampler, AsksAnOldNvidiaSmiForLess) {
  const Variable old("FAKE_SMI", "old");
  Machine machine = Machine::with_nvidia_smi();
  const GpuFacts facts = machine.run(2);
  EXPECT_THAT(facts.warnings, ElementsAre(HasSubstr("not a valid field")));
  EXPECT_EQ(middle(machine.lines()[1]), "0,Fake GPU,70,30,1024,40960,4,16,GPU-fake-0,,,,,,,");
}

TEST(GpuSampler, StartsNvidiaSmiAgainWhenItEnds) {
  const Variable dies("FAKE_SMI", "dies");
  Machine machine = Machine::with_nvidia_smi();
  EXPECT_THAT(machine.run(6).warnings, ::testing::Contains(HasSubstr("nvidia-smi ended")));
}

TEST(GpuSampler, SaysWhatNvidiaSmiSays) {
  const Variable none("FAKE_SMI", "none");
  Machine machine = Machine::with_nvidia_smi();
  EXPECT_THAT(machine.run_for(300ms).warnings, ElementsAre(HasSubstr("couldn't communicate with the NVIDIA driver")));
}

TEST(NvidiaSmi, ReadsItsLines) {
  const auto sample = parse_nvidia_smi_line("2, GPU-x, NVIDIA H200, 100, [N/A], 1, 143771, [Not Supported], 16");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->index, 2u);
  EXPECT_EQ(sample->utilization_gpu, 100);
  EXPECT_FALSE(sample->utilization_memory);
  EXPECT_FALSE(sample->pcie_generation);
  EXPECT_FALSE(parse_nvidia_smi_line("Unable to determine the device handle"));
  EXPECT_FALSE(parse_nvidia_smi_line("a,b,c,d,e,f,g,h,i,j"));
}

}  // namespace
}  // namespace frx::capture
