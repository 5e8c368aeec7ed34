// What the mutators of the fuzz targets make of seeds: inputs that differ from them, and that readers still take for what they are.
#include <gtest/gtest.h>

#include <set>

#include "fuzz/mutate/changes.h"
#include "ingest/cubin/resources.h"
#include "ingest/fatbin/images.h"
#include "ingest/ncu_report/report_file.h"
#include "ingest/run_bundle/open_bundle.h"
#include "meta/repository.h"

namespace frx::fuzz {
namespace {

constexpr int mutants = 400;

// How many mutants of a seed are told by `holds` to be what the seed is; each of them is small enough, and nearly all differ from each
// other.
int kept(const std::string& seed, Mutator mutate, const std::function<bool(const std::string&)>& holds) {
  const std::string bytes = testing::content(testing::repository() / "tests" / seed);
  EXPECT_TRUE(holds(bytes)) << seed;
  std::set<std::string> all;
  int count = 0;
  for (std::uint64_t i = 0; i < mutants; ++i) {
    Changes changes(i, 1 << 16), again(i, 1 << 16);
    std::string mutant = bytes, twin = bytes;
    mutate(mutant, changes);
    mutate(twin, again);
    EXPECT_EQ(mutant, twin) << "seed " << i;
    count += holds(mutant);
    all.insert(std::move(mutant));
  }
  EXPECT_GT(all.size(), mutants / 2u) << seed;
  return count;
}

bool is_report(const std::string& bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  ingest::nsight::ReportFile file(*source);
  bool is_whole = file.header().has_value();
  ingest::nsight::EntryBatch batch;
  while (is_whole && file.next(batch)) is_whole = !batch.failure;
  return is_whole;
}

bool is_bundle(const std::string& bytes) { return ingest::RunBundle::open_zip("a.zip", ingest::random_access_to(bytes), {}).has_value(); }

bool is_balanced(const std::string& text) {
  return std::ranges::count(text, '{') == std::ranges::count(text, '}') && std::ranges::count(text, '(') == std::ranges::count(text, ')');
}

TEST(FuzzMutators, KeepWhatReportsArchivesAndProgramsAre) {
  EXPECT_GT(kept("fuzz/corpus/fuzz_ncu_report/normal.ncu-rep", mutate_report, is_report), mutants * 3 / 4);
  EXPECT_GT(kept("fuzz/corpus/fuzz_run_bundle/epochs.zip", mutate_zip, is_bundle), mutants / 4);
  EXPECT_GT(kept("fuzz/corpus/fuzz_cubin_resources/spills_sm_80.cubin", mutate_elf,
                 [](const std::string& bytes) { return ingest::cubin::read_kernel_resources(bytes).has_value(); }),
            mutants / 4);
  EXPECT_GT(kept("fuzz/corpus/fuzz_fatbin/size.fatbin", mutate_fatbin,
                 [](const std::string& bytes) { return ingest::fatbin::list_images(bytes).has_value(); }),
            mutants / 4);
}

TEST(FuzzMutators, KeepTheBracketsOfText) {
  EXPECT_GT(kept("data/ptx/triton_style.ptx", mutate_ptx, is_balanced), mutants * 3 / 4);
  EXPECT_GT(kept("data/ptx/everyday.cu", mutate_cuda, is_balanced), mutants * 3 / 4);
  EXPECT_GT(kept("fuzz/corpus/fuzz_trace/two_steps", mutate_json, is_balanced), mutants * 3 / 4);
}

TEST(FuzzMutators, TakeAnyBytes) {
  for (const Mutator mutate :
       {mutate_json, mutate_ptx, mutate_cuda, mutate_table, mutate_report, mutate_elf, mutate_fatbin, mutate_zip, mutate_any}) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Changes changes(seed, 1 << 12);
      std::string bytes;
      for (std::size_t left = changes.below(200); left > 0; --left) bytes += static_cast<char>(changes.bits());
      const std::string_view begins[] = {"",
                                         std::string_view("NVR\0", 4),
                                         "\x7f"
                                         "ELF",
                                         "PK\x01\x02",
                                         "!<arch>\n",
                                         "\x50\xED\x55\xBA"};
      bytes.insert(0, begins[changes.below(std::size(begins))]);
      for (int times = 0; times < 4; ++times) mutate(bytes, changes);
    }
  }
}

}  // namespace
}  // namespace frx::fuzz
