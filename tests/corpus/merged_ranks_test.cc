// Real recordings of the ranks of one training, joined in one file: work keeps the call that it has in the recording of its own rank.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "base/files.h"
#include "derive/trace/attribution.h"
#include "ingest/chrome_trace/testing.h"
#include "ingest/unpacked_source.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using model::Timeline;

// Start and device of the work; start, process and name of the call, the operator's name.
using Join = std::tuple<std::int64_t, std::int32_t, std::string, std::int64_t, std::string, std::string>;

std::multiset<Join> joins_of(const std::string& text) {
  const Timeline timeline = testing::trace_of(text);
  std::multiset<Join> joins;
  for (const derive::trace::GpuWork& one : derive::trace::attribute(timeline).work) {
    const bool has_call = one.launch != derive::trace::none;
    joins.emplace(timeline.start[one.event], timeline.tracks[timeline.track[one.event]].device, timeline.name_of(one.event),
                  has_call ? timeline.start[one.launch] : 0, has_call ? timeline.tracks[timeline.track[one.launch]].pid : "",
                  one.op == derive::trace::none ? "" : timeline.name_of(one.op));
  }
  return joins;
}

std::string unpacked(const std::filesystem::path& path) {
  const std::unique_ptr<ByteSource> file = open_file(path.string()).value();
  ingest::UnpackedSource content(*file);
  EXPECT_TRUE(content.head());
  return read_all(content, path.filename().string(), std::uint64_t{1} << 30).value();
}

// What stands between the brackets of "traceEvents".
std::string events_of(const std::string& text) {
  const std::size_t named = text.find("\"traceEvents\"");
  const std::size_t begin = text.find('[', named == text.npos ? 0 : named), end = text.rfind(']');
  EXPECT_LT(begin, end);
  return text.substr(begin + 1, end - begin - 1);
}

class MergedRanks : public ::testing::TestWithParam<std::vector<const char*>> {};

TEST_P(MergedRanks, KeepTheirCalls) {
  FRX_NEEDS_CORPUS();
  std::multiset<Join> alone;
  std::string merged;
  for (const char* name : GetParam()) {
    const std::string text = unpacked(*testing::corpus() / "torch" / name);
    alone.merge(joins_of(text));
    merged += (merged.empty() ? "" : ",") + events_of(text);
  }
  const std::multiset<Join> together = joins_of(R"({"schemaVersion": 1, "traceEvents": [)" + merged + "]}");
  ASSERT_EQ(together.size(), alone.size());
  std::vector<Join> lost;
  std::ranges::set_difference(alone, together, std::back_inserter(lost));
  EXPECT_EQ(lost.size(), 0u) << "of " << alone.size();
}

INSTANTIATE_TEST_SUITE_P(Corpus, MergedRanks,
                         ::testing::Values(std::vector<const char*>{"gaoteng_bert_fp16_ddp.rank0.pt.trace.json.gz",
                                                                    "gaoteng_bert_fp16_ddp.rank1.pt.trace.json.gz"},
                                           std::vector<const char*>{"hta_sampled_rank0.json.gz", "hta_sampled_rank1.json.gz"},
                                           std::vector<const char*>{"tugot_toy_tp2_4090.rank0.json", "tugot_toy_tp2_4090.rank1.json"},
                                           std::vector<const char*>{"megatron_tp8_A100.rank0.json", "megatron_tp8_A100.rank1.json",
                                                                    "megatron_tp8_A100.rank2.json", "megatron_tp8_A100.rank3.json",
                                                                    "megatron_tp8_A100.rank4.json", "megatron_tp8_A100.rank5.json",
                                                                    "megatron_tp8_A100.rank6.json", "megatron_tp8_A100.rank7.json"}));

}  // namespace
}  // namespace frx::corpus
