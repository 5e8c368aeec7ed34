// What each kind of report says to people. `scope` of a run or a trace: "run", "steady_state", or "auto" for the steady
// state when there is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "compose/parts.h"
#include "report/bench_report.h"
#include "report/cuda_report.h"
#include "report/device_report.h"
#include "report/evidence.h"
#include "report/implementation_comparison.h"
#include "report/ncu_comparison.h"
#include "report/ranks_report.h"
#include "report/run_comparison.h"
#include "report/run_report.h"

namespace frx::compose {

Document document_of(const report::BenchReport& report);
Document document_of(const report::CudaReport& report);
Document document_of(const report::DeviceReport& report);
Document document_of(const report::EvidenceReport& report);
Document document_of(const report::ImplementationComparison& comparison);
Document document_of(const report::NcuComparison& comparison);
// In brief: five bottlenecks, three recommendations.
Document document_of(const report::NcuReport& report, answer::Detail detail);
Document document_of(const report::PtxReport& report);
Document document_of(const report::RanksReport& report);
Document document_of(const report::RunComparison& comparison);
Document document_of(const report::RunReport& report, std::string_view scope);
Document document_of(const report::TraceReport& report, std::string_view scope);

// The answers of comparisons in one sentence.
std::string verdict_sentence(const report::ImplementationComparison& comparison);
std::string verdict_sentence(const report::RunComparison& comparison);
// Of an inconclusive one: how many steps it takes; "" where that is not known.
std::string what_would_tell(const report::RunComparison& comparison);

// The pages of the training brief: frx_summary.txt and frx_llm_prompt.txt. Names and texts from the run stand in the prompt as data: one
// line each, made printable, never as instructions.
Document run_summary(const report::RunReport& report, const report::RunScope& scope);
Document run_prompt(const report::RunReport& report, const report::RunScope& scope);

// Parts of such pages that stand in several of them.

// "Data Loading (input_bound)", or why there is none; "high (0.82): ...".
std::string primary_words(const report::RunScope& scope);
std::string confidence_words(const report::RunScope& scope);
void add_run_verdict(Document& page, const report::RunScope& scope);
// How much the GPU idles without the pipeline being the reason, and what contributes; nothing where it cannot be told (docs/contract.md,
// section 5.9).
void add_framework_tax(Document& page, const report::RunScope& scope);
void add_run_recommendations(Document& page, const report::RunScope& scope);
// Bars of where the time of a step goes, on the first GPUs; `skipped`: steps at the beginning that are left out. `whose`: "rank 0", or
// "" where there is only one. `waiting`: the share of a step that is known to be waiting for late ranks, which is part of exposed
// communication.
void add_breakdown(Document& page, const report::TraceReport& report, std::size_t skipped, std::string_view whose = {}, double waiting = 0);
// One bar for each step, on the first GPU, and what busy GPUs do against what they can do.
void add_step_chart(Document& page, const report::TraceReport& report, std::size_t skipped);
void add_gpu_use(Document& page, const report::TraceReport& report);

// The table of ranks and what is known of late ones.
void add_ranks(Document& page, const report::RanksReport& report);
// Where the answer is from, behind the verdict.
void add_answer_from(Document& page, const report::RanksReport& report);

// Each diagnosis with what speaks for it, and what would settle those that are open.
void add_diagnoses(Document& page, const report::EvidenceReport& report);
void add_missing_evidence(Document& page, const std::vector<const report::EvidenceReport*>& reports);

}  // namespace frx::compose
