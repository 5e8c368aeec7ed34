#include "ingest/dynamo_log.h"

#include <gmock/gmock.h>

namespace frx::ingest {
namespace {

using model::GuardFailure;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::DynamoLog log_of(std::string_view text) {
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  Result<model::DynamoLog> log = read_dynamo_log("run.log", *source);
  if (!log) ADD_FAILURE() << to_string(log.error());
  return log ? std::move(*log) : model::DynamoLog();
}

void expect_stride_failure(const GuardFailure& failure, std::string_view tensor, std::int64_t index, std::int64_t expected,
                           std::int64_t actual) {
  EXPECT_EQ(failure.kind, GuardFailure::Kind::stride);
  EXPECT_EQ(failure.tensor, tensor);
  EXPECT_EQ(failure.index, index);
  EXPECT_EQ(failure.expected, expected);
  EXPECT_EQ(failure.actual, actual);
}

// PyTorch 2.5 and later.
TEST(DynamoLog, ACompilationWithTheFailedChecksOfEachGraph) {
  const model::DynamoLog log = log_of(
      "epoch 1\n"
      "V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [3/2] [__recompiles] Recompiling function fn in /home/me/a b/train.py:42\n"
      "V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [3/2] [__recompiles]     triggered by the following guard failure(s):\n"
      "V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [3/2] [__recompiles]     - 3/1: tensor 'x' stride mismatch at index 1. "
      "expected 1, actual 3136\n"
      "V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [3/2] [__recompiles]     - 3/0: tensor 'x' size mismatch at index 0. "
      "expected 8, actual 4\n"
      "loss 0.3\n");
  ASSERT_THAT(log.recompilations, SizeIs(1));
  const model::Recompilation& one = log.recompilations[0];
  EXPECT_EQ(one.place, (model::LoggedPlace{"fn", "/home/me/a b/train.py", 42}));
  EXPECT_EQ(one.compile_id, "3/2");
  EXPECT_EQ(one.log_line, 2u);
  ASSERT_THAT(one.failures, SizeIs(2));
  expect_stride_failure(one.failures[0], "x", 1, 1, 3136);
  EXPECT_EQ(one.failures[0].entry, "3/1");
  EXPECT_EQ(one.failures[1].kind, GuardFailure::Kind::size);
  EXPECT_EQ(log.lines, 6u);
}

// PyTorch 2.1 and 2.2: another prefix, names of tensors as code.
TEST(DynamoLog, OlderLoggersAndNotebooks) {
  const model::DynamoLog log = log_of(
      "[2023-11-06 14:54:54,691] [1/1] torch._dynamo.guards.__recompiles: [DEBUG] Recompiling function forward in /srv/resnet.py:266\r\n"
      "[2023-11-06 14:54:54,691] [1/1] torch._dynamo.guards.__recompiles: [DEBUG]     triggered by the following guard failure(s):\r\n"
      "[2023-11-06 14:54:54,691] [1/1] torch._dynamo.guards.__recompiles: [DEBUG]     - tensor 'L['x']' stride mismatch at index 0. "
      "expected "
      "24, actual 48\r\n"
      "Recompiling function <graph break in fn> in <ipython-input-6-47>:6\n"
      "    triggered by the following guard failure(s):\n"
      "    - L['end'] == 10                # for i in range(end):\n");
  ASSERT_THAT(log.recompilations, SizeIs(2));
  EXPECT_EQ(log.recompilations[0].compile_id, "1/1");
  ASSERT_THAT(log.recompilations[0].failures, SizeIs(1));
  expect_stride_failure(log.recompilations[0].failures[0], "L['x']", 0, 24, 48);
  EXPECT_EQ(log.recompilations[1].place, (model::LoggedPlace{"<graph break in fn>", "<ipython-input-6-47>", 6}));
  ASSERT_THAT(log.recompilations[1].failures, SizeIs(1));
  EXPECT_EQ(log.recompilations[1].failures[0].kind, GuardFailure::Kind::other);
  EXPECT_THAT(log.recompilations[1].failures[0].text, ::testing::StartsWith("L['end'] == 10"));
}

TEST(DynamoLog, RanksThatWriteAtOnceAreToldApart) {
  const model::DynamoLog log = log_of(
      "[rank6]:V1101 02:43:39.3 143 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles] Recompiling function f in a.py:1\n"
      "[rank3]:V1101 02:43:39.3 140 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles] Recompiling function g in b.py:2\n"
      "[rank6]:V1101 02:43:39.3 143 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles]     triggered by the following guard "
      "failure(s):\n"
      "[rank3]:V1101 02:43:39.3 140 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles]     triggered by the following guard "
      "failure(s):\n"
      "[rank6]:V1101 02:43:39.3 143 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles]     - 0/0: tensor 'a' stride mismatch at "
      "index 0. expected 1, actual 2\n"
      "[rank3]:V1101 02:43:39.3 140 site-packages/torch/_dynamo/guards.py:8] [0/1] [__recompiles]     - 0/0: tensor 'b' stride mismatch at "
      "index 0. expected 3, actual 4\n");
  ASSERT_THAT(log.recompilations, SizeIs(2));
  EXPECT_EQ(log.recompilations[0].rank, 6);
  expect_stride_failure(log.recompilations[0].failures.at(0), "a", 0, 1, 2);
  expect_stride_failure(log.recompilations[1].failures.at(0), "b", 0, 3, 4);
}

TEST(DynamoLog, WhereTorchCompileGaveUp) {
  const model::DynamoLog log = log_of(
      "W1101 02:43:39.336000 143 torch/_dynamo/convert_frame.py:896] [1/8] torch._dynamo hit config.recompile_limit (8)\n"
      "W1101 02:43:39.336000 143 torch/_dynamo/convert_frame.py:896] [1/8]    function: 'forward' (/workspace/capture.py:131)\n"
      "W1101 02:43:39.336000 143 torch/_dynamo/convert_frame.py:896] [1/8]    last reason: 1/0: tensor 'images' stride mismatch at index "
      "2. "
      "expected 1696, actual 1248\n"
      "W1101 02:43:39.336000 143 torch/_dynamo/convert_frame.py:896] [1/8] To log all recompilation reasons, use "
      "TORCH_LOGS=\"recompiles\".\n"
      // PyTorch 2.0.
      "[2023-02-22 19:35:35,458] torch._dynamo.convert_frame: [WARNING] torch._dynamo hit config.cache_size_limit (64)\n"
      "   function: '__collect__' (/usr/lib/message_passing.py:281)\n"
      "   reasons:  [\"tensor 'edge_index' strides mismatch at index 0. expected 52637, actual 51470\"]\n"
      "to diagnose recompilation issues, see ...\n");
  ASSERT_THAT(log.limits, SizeIs(2));
  EXPECT_EQ(log.limits[0].setting, "recompile_limit");
  EXPECT_EQ(log.limits[0].limit, 8u);
  EXPECT_EQ(log.limits[0].place, (model::LoggedPlace{"forward", "/workspace/capture.py", 131}));
  expect_stride_failure(*log.limits[0].reason, "images", 2, 1696, 1248);
  EXPECT_EQ(log.limits[1].setting, "cache_size_limit");
  EXPECT_EQ(log.limits[1].limit, 64u);
  EXPECT_EQ(log.limits[1].place, (model::LoggedPlace{"__collect__", "/usr/lib/message_passing.py", 281}));
  expect_stride_failure(*log.limits[1].reason, "edge_index", 0, 52637, 51470);
}

TEST(DynamoLog, GraphsThatWereSkippedAndWhere) {
  const model::DynamoLog log = log_of(
      "skipping cudagraphs due to skipping cudagraphs due to cpu device (primals_88). Found from : \n"
      "   File \"/srv/pips/dvae.py\", line 782, in forward\n"
      "    quantized = self.codebook(logits)\n"
      "  File \"/srv/pips/dvae.py\", line 493, in sample\n"
      "    tau = torch.as_tensor(temp)\n"
      "\n"
      "W0901 10:00:00.1 7 torch/_inductor/utils.py:1] [__perf_hints] skipping cudagraphs due to complex input striding\n"
      "[2023-03-01 10:00:00,001] torch._inductor.compile_fx: [WARNING] skipping cudagraphs due to complex input striding\n"
      "skipping cudagraphs for unknown reason\n"
      "skipping cudagraph due to function 0 exceeding max re-recording limit (=128) on cudagraph node None due to static input data "
      "pointer "
      "changed.\n"
      "V0419 11:12:04.6 14 torch/_inductor/cudagraph_trees.py:1984] [__cudagraphs] Recording function 0 of graph recording id 0\n"
      "V0419 11:12:05.6 14 torch/_inductor/cudagraph_trees.py:1984] [__cudagraphs] Recording function 0 (f) of graph recording id 1\n");
  ASSERT_THAT(log.skips, SizeIs(4));
  EXPECT_EQ(log.skips[0].reason, "cpu device (primals_88)");
  EXPECT_EQ(log.skips[0].place, (model::LoggedPlace{"sample", "/srv/pips/dvae.py", 493}));
  EXPECT_EQ(log.skips[1].reason, "complex input striding");
  EXPECT_EQ(log.skips[1].times, 2u);
  EXPECT_EQ(log.skips[2].reason, "unknown reason");
  EXPECT_THAT(log.skips[3].reason, ::testing::EndsWith("due to static input data pointer changed"));
  EXPECT_EQ(log.recordings.at(0), 2u);
}

TEST(DynamoLog, NothingOfAnyOtherText) {
  for (const std::string_view text :
       {"", "\n", "Recompiling function ", "torch._dynamo hit config.", "- tensor 'x' stride mismatch at index 0.", "skipping cudagraphs",
        "\xff\xfe\xff", "[[[[[[[", "[rank99999999999999999999]: x"}) {
    const model::DynamoLog log = log_of(text);
    EXPECT_THAT(log.recompilations, IsEmpty()) << text;
    EXPECT_THAT(log.limits, IsEmpty()) << text;
    EXPECT_THAT(log.skips, IsEmpty()) << text;
  }
}

TEST(DynamoLog, NumbersThatAreNoneAreAbsent) {
  const model::DynamoLog log =
      log_of("Recompiling function f in a.py\n- tensor 'x' stride mismatch at index 0. expected s0, actual 99999999999999999999\n");
  ASSERT_THAT(log.recompilations, SizeIs(1));
  EXPECT_EQ(log.recompilations[0].place, (model::LoggedPlace{"f", "a.py", 0}));
  const GuardFailure& failure = log.recompilations[0].failures.at(0);
  EXPECT_EQ(failure.kind, GuardFailure::Kind::stride);
  EXPECT_EQ(failure.index, 0);
  EXPECT_FALSE(failure.expected);
  EXPECT_FALSE(failure.actual);
}

}  // namespace
}  // namespace frx::ingest
