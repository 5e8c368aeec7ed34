#include "report/tune/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace frx::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const knowledge::Tuning& tune_data() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::Tuning known = knowledge::Tuning::load(library).value();
  return known;
}

TuneQuestion question_of(std::string_view focus, bool safe = true) {
  TuneQuestion question;
  question.focus = focus;
  question.batch_size = 32;
  question.environment.cpus = 16;
  question.environment.gpu_name = "NVIDIA A100-SXM4-80GB";
  question.settings.safe = safe;
  return question;
}

std::vector<std::string> ids_of(const std::vector<TuneCandidate>& candidates, bool documented) {
  std::vector<std::string> ids;
  for (const TuneCandidate& one : candidates) {
    if (one.is_documented == documented) ids.push_back(one.id);
  }
  return ids;
}

TuneCandidate candidate(const std::string& id, const TuneQuestion& question) {
  for (const TuneCandidate& one : candidates_for(question, tune_data()).candidates) {
    if (one.id == id) return one;
  }
  ADD_FAILURE() << "no candidate " << id;
  return {};
}

std::string text_or(const ::frx::Value& value, std::string_view otherwise) { return std::string(value ? value.text() : otherwise); }

TuneQuestion question_of_case(const ::frx::Value& one, const std::string& focus) {
  TuneQuestion question = question_of(focus, one["safe"].boolean().value_or(true));
  question.environment.cpus = static_cast<std::size_t>(one["cpus"].number().value_or(16));
  question.environment.gpu_name = text_or(one["gpu"], "NVIDIA A100-SXM4-80GB");
  question.environment.dynamic_shapes = one["dynamic_shapes"].boolean();
  if (one["batch"]) question.batch_size = one["batch"].number();
  return question;
}

// The cases that stand in data/tuning/focus.yaml itself.
TEST(TuneCandidates, CasesHold) {
  const ::frx::Value cases = tune_data().cases();
  ASSERT_GE(cases.size(), 15u);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ::frx::Value one = cases.item(i);
    const std::string focus = focus_of(one["focus"].text(), tune_data());
    const TuneCandidates found = candidates_for(question_of_case(one, focus), tune_data());
    std::vector<std::string> ids = ids_of(found.candidates, true);
    if (one["most"]) ids.resize(std::min(ids.size(), static_cast<std::size_t>(one["most"].number().value())));
    const std::vector<std::string_view> expected = one["expect"].texts();
    EXPECT_EQ(ids, std::vector<std::string>(expected.begin(), expected.end())) << one.where() << ": " << one["name"].text();
    if (one["note"]) {
      EXPECT_THAT(found.notes, Contains(std::string(one["note"].text()))) << one.where();
    }
  }
}

TEST(TuneCandidates, TellTheProgramWhatToDo) {
  const TuneCandidate loader = candidate("dl_nw4_pin0", question_of("input_bound"));
  EXPECT_EQ(loader.label, "dl:nw=4,pin=F");
  EXPECT_THAT(loader.variables(), ElementsAre(Pair("FRX_NUM_WORKERS", "4"), Pair("FRX_PERSISTENT_WORKERS", "true"),
                                              Pair("FRX_PIN_MEMORY", "false"), Pair("FRX_PREFETCH_FACTOR", "2")));
  // Without worker processes there is nothing to keep and nothing to fetch ahead.
  EXPECT_THAT(candidate("dl_nw0_pin1", question_of("")).variables(),
              ElementsAre(Pair("FRX_NUM_WORKERS", "0"), Pair("FRX_PIN_MEMORY", "true")));
  const TuneCandidate ahead = candidate("dl_nw8_pf4", question_of("input_bound"));
  EXPECT_EQ(ahead.label, "dl:nw=8,pin=T,pf=4");
  EXPECT_THAT(ahead.variables(), Contains(Pair("FRX_PREFETCH_FACTOR", "4")));
  const TuneCandidate batch = candidate("bs_40", question_of("underutilized_gpu", false));
  EXPECT_EQ(batch.label, "bs:40(1.25x)");
  EXPECT_THAT(batch.variables(), ElementsAre(Pair("FRX_BATCH_SIZE", "40")));
  EXPECT_THAT(candidate("compile_reduce_overhead", question_of("launch_bound", false)).variables(),
              ElementsAre(Pair("FRX_TORCH_COMPILE", "1"), Pair("FRX_TORCH_COMPILE_MODE", "reduce-overhead")));
}

TEST(TuneCandidates, HaveTiersAndRisks) {
  const TuneCandidate half = candidate("amp_fp16", question_of("underutilized_gpu", false));
  EXPECT_EQ(half.tier(), TuneTier::validated);
  EXPECT_EQ(half.risk(), TuneRisk::medium);
  EXPECT_TRUE(half.actions.front().changes_numerics);
  EXPECT_FALSE(candidate("cuda_graphs_try_static", question_of("launch_bound", false)).actions.front().changes_numerics);
  EXPECT_EQ(candidate("dl_nw4_pin1", question_of("")).tier(), TuneTier::safe);
  EXPECT_EQ(name_of(TuneRisk::medium), "medium");
}

TEST(TuneCandidates, OfABatchOfOneAreOnlyLargerOnes) {
  TuneQuestion question = question_of("underutilized_gpu", false);
  question.batch_size = 1;
  EXPECT_THAT(ids_of(candidates_for(question, tune_data()).candidates, true),
              ElementsAre("bs_2", "amp_bf16", "amp_fp16", "compile_default", "compile_reduce_overhead", "cuda_graphs_try_static"));
}

// Spec 09, G2: no bottleneck leads to no candidates.
TEST(TuneCandidates, AreThereForEveryFocus) {
  for (const knowledge::TuningFocus& focus : tune_data().focuses()) {
    for (const bool safe : {true, false}) {
      TuneQuestion question = question_of(focus.id, safe);
      question.environment = {};
      question.batch_size = {};
      EXPECT_FALSE(candidates_for(question, tune_data()).candidates.empty()) << focus.id;
    }
  }
}

// The search takes them for different ones; and it tries documented ones first.
TEST(TuneCandidates, AreDistinct) {
  for (const knowledge::TuningFocus& focus : tune_data().focuses()) {
    for (const std::size_t cpus : {1, 2, 3, 4, 8, 12, 64}) {
      for (const double batch : {1, 2, 3, 7, 32}) {
        TuneQuestion question = question_of(focus.id, false);
        question.environment.cpus = cpus;
        question.batch_size = batch;
        const std::vector<TuneCandidate> candidates = candidates_for(question, tune_data()).candidates;
        std::set<std::string> ids;
        std::set<Variables> variables;
        for (const TuneCandidate& one : candidates) {
          EXPECT_TRUE(ids.insert(one.id).second) << one.id;
          EXPECT_TRUE(variables.insert(one.variables()).second) << one.id;
          EXPECT_TRUE(std::ranges::is_sorted(one.variables())) << one.id;
        }
        EXPECT_TRUE(std::ranges::is_partitioned(candidates, &TuneCandidate::is_documented));
        EXPECT_LE(candidates.size(), 400u);
      }
    }
  }
}

TEST(TuneCandidates, CombineOneOfEachFamilyThatIsAllowed) {
  EXPECT_THAT(ids_of(candidates_for(question_of("input_bound"), tune_data()).candidates, false), IsEmpty());
  const TuneCandidates found = candidates_for(question_of("input_bound", false), tune_data());
  const std::vector<std::string> ids = ids_of(found.candidates, false);
  // Five of the data loader, each with one of three batch sizes or none, two types or none, three runtimes or none; not alone.
  EXPECT_EQ(ids.size(), 5u * (4 * 3 * 4 - 1));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_THAT(ids, Contains("dl_nw4_pin1+bs_64"));
  EXPECT_THAT(ids, Contains("dl_nw16_pin1+bs_40+amp_bf16+compile_default"));
  EXPECT_FALSE(std::ranges::any_of(ids, [](const std::string& id) { return id.find("pin0") != id.npos; }));
}

TEST(TuneCandidates, CombinedSayWhatBothSay) {
  const TuneCandidate both = candidate("dl_nw4_pin1+bs_64", question_of("input_bound", false));
  EXPECT_EQ(both.label, "dl:nw=4,pin=T + bs:64(2x)");
  EXPECT_TRUE(both.has("dataloader") && both.has("batch_size"));
  EXPECT_FALSE(both.has("precision"));
  EXPECT_EQ(both.tier(), TuneTier::validated);
  EXPECT_EQ(both.variables().front().first, "FRX_BATCH_SIZE");
  EXPECT_EQ(both.variables().size(), 5u);
}

// Those of memory pressure do not make batches larger.
TEST(TuneCandidates, CombineWhatTheFocusCombines) {
  EXPECT_THAT(ids_of(candidates_for(question_of("memory_pressure", false), tune_data()).candidates, false),
              ElementsAre("amp_bf16+allocator_max_split_128", "amp_bf16+allocator_expandable_segments", "amp_fp16+allocator_max_split_128",
                          "amp_fp16+allocator_expandable_segments"));
}

TEST(TuneCandidates, FocusOfALabel) {
  EXPECT_EQ(focus_of("", tune_data()), "");
  EXPECT_EQ(focus_of("unknown", tune_data()), "");
  EXPECT_EQ(focus_of("input-pipeline", tune_data()), "input_bound");
  EXPECT_EQ(focus_of("memory_bound", tune_data()), "memory_pressure");
  EXPECT_EQ(focus_of("something else", tune_data()), "other");
}

TEST(TuneSafety, RejectsHighRisk) {
  TuneQuestion question = question_of("input_bound");
  TuneCandidate risky = candidate("dl_nw4_pin1", question);
  EXPECT_THAT(rejected_by_safety(risky, question, tune_data()), IsEmpty());
  risky.actions.front().tier = TuneTier::risky;
  risky.actions.front().requires_approval = true;
  EXPECT_THAT(rejected_by_safety(risky, question, tune_data()),
              ElementsAre("Risk policy: candidate is high risk and --allow-risky-actions is not set",
                          "Approval: dl_nw4_pin1 has to be approved, and --allow-risky-actions is not set"));
  question.settings.allow_risky_actions = true;
  EXPECT_THAT(rejected_by_safety(risky, question, tune_data()), IsEmpty());
}

TEST(TuneSafety, RejectsALargerBatchWithoutHeadroom) {
  TuneQuestion question = question_of("underutilized_gpu", false);
  const TuneCandidate batch = candidate("bs_64", question);
  EXPECT_THAT(rejected_by_safety(batch, question, tune_data()), IsEmpty());  // memory is not known
  question.environment.memory_headroom = 0.20;
  EXPECT_THAT(rejected_by_safety(batch, question, tune_data()), IsEmpty());
  question.environment.memory_headroom = 0.12;
  EXPECT_THAT(rejected_by_safety(batch, question, tune_data()),
              ElementsAre("Batch size: 12 % of the GPU memory are free at the peak of the baseline, below the safe threshold of 20 %"));
}

TEST(TuneSafety, RejectsPrecisionThatTheMachineLacks) {
  TuneQuestion question = question_of("underutilized_gpu", false);
  const TuneCandidate bf16 = candidate("amp_bf16", question), fp16 = candidate("amp_fp16", question);
  EXPECT_THAT(rejected_by_safety(bf16, question, tune_data()), IsEmpty());
  question.environment.gpu_name = "Tesla T4";
  EXPECT_THAT(rejected_by_safety(bf16, question, tune_data()), ElementsAre("Precision: Tesla T4 does not advertise bfloat16"));
  EXPECT_THAT(rejected_by_safety(fp16, question, tune_data()), IsEmpty());
  question.environment.supports_bf16 = true;
  EXPECT_THAT(rejected_by_safety(bf16, question, tune_data()), IsEmpty());
  question.environment.has_cuda = false;
  EXPECT_THAT(rejected_by_safety(fp16, question, tune_data()), ElementsAre("Precision: CUDA is unavailable"));
}

TEST(TuneSafety, RejectsPrecisionWhoseRequiredChecksAreAllOff) {
  TuneQuestion question = question_of("underutilized_gpu", false);
  const TuneCandidate half = candidate("amp_fp16", question);
  TuneLimits& limits = question.settings.limits;
  limits.finite_loss = false;
  EXPECT_THAT(rejected_by_safety(half, question, tune_data()), IsEmpty());
  limits.max_final_loss_regression = limits.max_loss_divergence = limits.output_abs_tolerance = std::numeric_limits<double>::infinity();
  EXPECT_THAT(rejected_by_safety(half, question, tune_data()),
              ElementsAre("Precision: quality checks are required, and every quality gate is disabled"));
  limits.quality_checks = false;
  EXPECT_THAT(rejected_by_safety(half, question, tune_data()), IsEmpty());
}

TEST(TuneSafety, RejectsGraphsOfChangingShapes) {
  TuneQuestion question = question_of("launch_bound", false);
  const TuneCandidate graphs = candidate("cuda_graphs_try_static", question), reduced = candidate("compile_reduce_overhead", question),
                      compiled = candidate("compile_default", question);
  EXPECT_THAT(rejected_by_safety(graphs, question, tune_data()), IsEmpty());
  question.environment.dynamic_shapes = true;
  question.environment.has_cuda = false;
  EXPECT_THAT(rejected_by_safety(graphs, question, tune_data()),
              ElementsAre("CUDA Graphs: the inputs change their shapes", "CUDA Graphs: CUDA is unavailable"));
  EXPECT_THAT(rejected_by_safety(reduced, question, tune_data()), ElementsAre("torch.compile: the inputs change their shapes"));
  EXPECT_THAT(rejected_by_safety(compiled, question, tune_data()), IsEmpty());
  question.environment.supports_compile = false;
  EXPECT_THAT(rejected_by_safety(compiled, question, tune_data()), ElementsAre("torch.compile: it is marked unsupported"));
}

TEST(TuneSafety, LimitsAreThoseOfTheData) {
  const TuneLimits limits = default_limits(tune_data()), defaults;
  EXPECT_DOUBLE_EQ(limits.min_speedup, defaults.min_speedup);
  EXPECT_DOUBLE_EQ(limits.max_memory_ratio, defaults.max_memory_ratio);
  EXPECT_DOUBLE_EQ(limits.max_step_time_regression, defaults.max_step_time_regression);
  EXPECT_EQ(limits.fewest_steps, defaults.fewest_steps);
  EXPECT_DOUBLE_EQ(limits.max_final_loss_regression, defaults.max_final_loss_regression);
  EXPECT_DOUBLE_EQ(limits.max_loss_divergence, defaults.max_loss_divergence);
  EXPECT_DOUBLE_EQ(limits.output_abs_tolerance, defaults.output_abs_tolerance);
  EXPECT_DOUBLE_EQ(limits.memory_headroom, defaults.memory_headroom);
}

}  // namespace
}  // namespace frx::report
