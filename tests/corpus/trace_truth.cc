#include "corpus/trace_truth.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/trace_analyst.h"

namespace frx::corpus {
namespace {

using Json = nlohmann::json;
using model::RunFact;

// `cold_start` is younger than the list below: it was added to four recordings in which
// single launches take 372, 501 and 681 ms (first use of a kernel's code), or which are of compiling by their name.
//
// What the sources of the traces say of them, as labels. "none": no label that speaks of the GPU may be given.
const std::map<std::string, std::vector<std::string>, std::less<>> known = {
    {"kineto_resnet50_b32_num_workers_0.run1.pt.trace.json.gz", {"input_bound"}},
    {"kineto_resnet50_b32_num_workers_4.run1.pt.trace.json.gz", {"inconclusive", "host_bound", "launch_bound", "gpu_kept_busy"}},
    {"kineto_old_resnet50_num_workers_0.worker0.pt.trace.json.gz", {"input_bound"}},
    {"kineto_old_resnet50_num_workers_4.worker0.pt.trace.json.gz", {"inconclusive", "gpu_kept_busy"}},
    {"gaoteng_resnet50_loadworker0.pt.trace.json.gz", {"input_bound"}},
    {"gaoteng_resnet50_loadworker4.pt.trace.json.gz", {"host_bound", "launch_bound"}},
    {"gaoteng_resnet50_noPred_ddp.rank0.pt.trace.json.gz", {"input_bound"}},
    {"gaoteng_resnet50_noPred_ddp.rank1.pt.trace.json.gz", {"input_bound"}},
    {"gaoteng_resnet50_cpu_only.148MB.pt.trace.json.gz", {"none"}},
    {"gaoteng_bert_fp16.pt.trace.json.gz", {"host_bound", "launch_bound"}},
    {"gaoteng_bert_fp16_ddp.rank0.pt.trace.json.gz", {"communication_bound"}},
    {"gaoteng_bert_fp16_ddp.rank1.pt.trace.json.gz", {"communication_bound"}},
    {"gaoteng_bert_fp16_DataParallel_2gpu.pt.trace.json.gz", {"communication_bound"}},
    {"deepseek_train_H800.json", {"gpu_kept_busy"}},
    {"quentin_transformer_H100_a.pt.trace.json", {"host_bound", "launch_bound"}},
    {"adam_unsloth_cpu_only.json", {"none"}},
    {"switch_moe_A100_b4_sync.json", {"sync_bound", "host_bound", "launch_bound", "cold_start"}},
    {"switch_moe_A100_nokernels.json", {"none"}},
    {"mlops_resnet18_cpu_mem.pt.trace.json", {"none"}},
    {"dtu_mlops_cpu_jc.json", {"none"}},
    {"spiking_cpu_mem.json", {"none"}},
    {"flow_matching_3090_nokernels.json", {"none"}},
    {"solangii_4060_nokernel_default.json", {"none"}},
    {"part_fwd_A100_bs2.pt.trace.json", {"launch_bound", "host_bound"}},
    {"part_train_single_sample_A100.json", {"launch_bound", "host_bound", "cold_start"}},
    {"luatil_04_compile_rtx3060.json", {"gpu_kept_busy"}},
    {"luatil_05_reduce_overhead_cudagraph_rtx3060.json", {"gpu_kept_busy"}},
    {"wings_compile_steady_4090D.json", {"launch_bound"}},
    {"wings_compile_time_4090D.json", {"host_bound", "launch_bound", "sync_bound", "cold_start"}},
    {"megatron_tp8_A100.rank0.json", {"communication_bound", "host_bound"}},
    {"megatron_tp8_A100.rank1.json", {"communication_bound"}},
    {"megatron_tp8_A100.rank2.json", {"communication_bound"}},
    {"megatron_tp8_A100.rank3.json", {"communication_bound"}},
    {"megatron_tp8_A100.rank4.json", {"communication_bound"}},
    {"megatron_tp8_A100.rank5.json", {"communication_bound"}},
    {"megatron_tp8_A100.rank6.json", {"communication_bound", "host_bound"}},
    {"megatron_tp8_A100.rank7.json", {"communication_bound"}},
    {"tugot_llama_tp2_dim1024_4090.rank0.json", {"communication_bound", "host_bound", "launch_bound", "cold_start"}},
    {"hta_cpu_only_rank34_small.json.gz", {"none"}},
    {"hta_mtia_rank0.87MB.json.gz", {"none"}},
    {"hta_rank_non_gpu.json.gz", {"none"}},
    {"hta_rank_not_found_no_schema.json.gz", {"none"}},
    {"hta_trace_diff_test_V100.json.gz", {"gpu_kept_busy"}},
    {"param_resnet_2080ti.json.gz", {"input_bound"}},
    {"amd_fused_4rank_MI300_merged.140MB.json.gz", {"communication_bound", "host_bound"}},
    {"tracelens_mi300_resnet_act_ckpt_rank0.json.gz", {"communication_bound"}},
    {"tracelens_mi300_qwen05b.json.gz", {"gpu_kept_busy"}},
    {"tracelens_h100_qwen05b.json.gz", {"gpu_kept_busy"}},
    {"tracelens_mi300_bert_small.json.gz", {"launch_bound", "host_bound"}},
    {"tracelens_h100_bert_small.json.gz", {"launch_bound", "host_bound"}},
    {"tracelens_b200_eager.json.gz", {"host_bound", "launch_bound"}},
    {"tracelens_vllm_decode_graph_exec.json.gz", {"gpu_kept_busy"}},
    {"tracelens_xdit_flux_aiter_mi300.55MB.json.gz", {"gpu_kept_busy"}},
    {"tracelens_case_sdpa_01_long_seq_low_eff.json", {"gpu_kept_busy"}},
    {"derived_no_kernels.json", {"none"}},
};

// A cell of a file of tabs: quoted when it holds quotes, which are doubled then.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"' && (quoted || cells.back().empty())) {
      quoted = !quoted;
    } else if (line[i] == '\t' && !quoted) {
      cells.emplace_back();
    } else if (line[i] != '\r') {
      cells.back() += line[i];
    }
  }
  return cells;
}

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

Measured measured_in(const std::string& truth) {
  Measured measured;
  const std::size_t begin = truth.find("measured: {");
  if (begin == truth.npos) return measured;
  const std::size_t end = truth.rfind('}');
  const Json json = Json::parse(truth.substr(begin + 10, end + 1 - begin - 10), nullptr, false);
  if (!json.is_object()) return measured;
  measured.step_ms = number(json, "step_ms");
  measured.dataloader_pct = number(json, "dataloader_pct");
  if (!json.contains("dev")) return measured;
  for (const auto& [device, values] : json["dev"].items()) {
    const auto busy = number(values, "gpu_busy_pct");
    if (busy) measured.gpus.push_back({std::stoi(device), *busy, number(values, "exposed_comm_pct")});
  }
  return measured;
}

// From the first work to the last: others measure recordings without steps so, and we from the first event of the program.
std::int64_t span_of_work(const model::GpuSteps& gpu, const model::GpuTime& all) {
  std::int64_t span = all.span;
  for (const model::IdleGap& gap : gpu.gaps) {
    if (gap.after == 0 || gap.after + gap.length() == all.span) span -= gap.length();
  }
  return span;
}

void take(const report::TraceReport& report, TraceCheck& check) {
  check.events = report.events;
  check.kernels = report.kernels;
  check.kernels_with_launch = report.kernels_with_launch;
  check.kernels_with_op = report.kernels_with_op;
  check.steps = report.step_count();
  check.user_facing = report.scope().diagnosis.user_facing;
  using model::RunFact;
  for (const RunFact part : {RunFact::input_fraction, RunFact::sync_fraction, RunFact::allocator_fraction, RunFact::first_use_fraction,
                             RunFact::host_fraction, RunFact::device_fraction})
    check.largest_idle = std::max(check.largest_idle, report.scope().facts[part].value_or(0));
  check.speaks_of_gpu = std::ranges::any_of(report.scope().diagnosis.findings, [](const model::Finding& finding) {
    return finding.type->id != "insufficient_telemetry" && finding.type->id != "input_bound";
  });
  check.notes = report.notes;
  check.shape_changes = report.scope().facts[model::RunFact::shape_changes];
  check.shape_pairs = report.scope().facts[model::RunFact::shape_pairs];
  // As they were measured: over all steps.
  const model::StepTable& table = report.processes.front();
  const std::size_t steps = table.size();
  std::int64_t wall = 0, input = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    wall += table.wall_ns(i);
    input += table.loader_wait_ns(i).value_or(0);
  }
  if (report.step_count() > 0) {
    check.step_ms = static_cast<double>(wall) / 1e6 / static_cast<double>(steps);
    check.dataloader_pct = 100.0 * static_cast<double>(input) / static_cast<double>(wall);
  }
  // Where the program runs ahead they count what fell into the steps of the program, which is not what the steps took.
  if (!table.program_ns.empty()) return;
  for (const model::StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      const model::GpuTime all = model::total_of(gpu);
      const std::int64_t span = table.has_boundaries() ? all.span : span_of_work(gpu, all);
      const auto percent = [&](std::int64_t part) { return span == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(span); };
      check.gpus.push_back({gpu.device, percent(all.busy()), percent(all.communication)});
    }
  }
}

}  // namespace

bool TraceCheck::agrees() const {
  if (accepted.empty()) return true;
  if (accepted.front() == "none") return !speaks_of_gpu;
  return std::ranges::find(accepted, user_facing) != accepted.end();
}

std::pair<int, int> TraceCheck::numbers() const {
  int compared = 0, equal = 0;
  // A tenth of a percent as printed, and what a boundary between steps may move.
  const auto compare = [&](double ours, double theirs) {
    ++compared;
    equal += std::abs(ours - theirs) <= 0.35;
  };
  for (const MeasuredGpu& theirs : measured.gpus) {
    const auto ours = std::ranges::find(gpus, theirs.device, &MeasuredGpu::device);
    if (ours == gpus.end()) continue;
    compare(ours->busy_pct, theirs.busy_pct);
    if (theirs.exposed_communication_pct) compare(*ours->exposed_communication_pct, *theirs.exposed_communication_pct);
  }
  return {compared, equal};
}

std::optional<double> TraceCheck::attributed_pct() const {
  return kernels == 0 ? std::nullopt : std::optional(100.0 * static_cast<double>(kernels_with_op) / static_cast<double>(kernels));
}

std::vector<TraceCheck> check_traces(const std::filesystem::path& corpus) {
  std::vector<TraceCheck> checks;
  const auto analyst = report::TraceAnalyst::create("").value();
  std::ifstream manifest(corpus / "MANIFEST-torch.tsv");
  std::string line;
  std::getline(manifest, line);  // the heading
  while (std::getline(manifest, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 7) continue;
    TraceCheck check;
    check.name = std::filesystem::path(cells[0]).filename();
    const std::filesystem::path path = corpus / cells[0];
    if (!std::filesystem::exists(path)) continue;
    check.measured = measured_in(cells[6]);
    if (const auto found = known.find(check.name); found != known.end()) check.accepted = found->second;
    auto source = open_file(path.string());
    auto report = source ? analyst->analyse(check.name, **source) : Result<std::unique_ptr<report::TraceReport>>(Failure{source.error()});
    if (report) {
      take(**report, check);
    } else {
      check.refused = report.error().message;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace frx::corpus
