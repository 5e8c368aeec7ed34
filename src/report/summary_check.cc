#include "report/summary_check.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "base/units.h"
#include "model/bundle_paths.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;
using ingest::SummaryInput;

// A larger file is compared by its size alone; reading it again would double the time of an analysis.
constexpr std::uint64_t most_to_fingerprint = std::uint64_t{64} << 20;

bool is_input(std::string_view path) {
  return (path.starts_with("raw/trace") && path.ends_with(".jsonl")) || path == paths::gpu_metrics || paths::is_profiler_trace(path);
}

Result<std::string> fingerprint(const ingest::RunBundle& bundle, const ingest::BundleMember& member) {
  if (member.bytes > most_to_fingerprint) return std::string();
  TRY_ASSIGN(const std::string bytes, bundle.read(member.path, most_to_fingerprint));
  return sha256(bytes);
}

// The difference between then and now; "" when there is none.
std::string difference(const std::vector<SummaryInput>& then, const std::vector<SummaryInput>& now) {
  for (const SummaryInput& input : now) {
    const auto old = std::ranges::find(then, input.path, &SummaryInput::path);
    if (old == then.end()) return printable(input.path) + " was not part of it";
    const bool same = old->bytes == input.bytes && (old->sha256.empty() || input.sha256.empty() || old->sha256 == input.sha256);
    if (!same) return printable(input.path) + " has changed since";
  }
  for (const SummaryInput& input : then) {
    if (std::ranges::find(now, input.path, &SummaryInput::path) == now.end()) return printable(input.path) + " is not here any more";
  }
  return {};
}

}  // namespace

std::string_view name_of(SummaryState state) {
  switch (state) {
    case SummaryState::fits: return "fits";
    case SummaryState::unverifiable: return "unverifiable";
    case SummaryState::stale: return "stale";
    case SummaryState::foreign: return "foreign";
    case SummaryState::unreadable: return "unreadable";
  }
  return "unreadable";
}

Result<std::vector<SummaryInput>> inputs_of(const ingest::RunBundle& bundle) {
  std::vector<SummaryInput> inputs;
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!is_input(member.path)) continue;
    TRY_ASSIGN(std::string sha256, fingerprint(bundle, member));
    inputs.push_back({member.path, member.bytes, std::move(sha256)});
  }
  return inputs;
}

SummaryCheck check_summary(const Result<ingest::RunSummary>& summary, const ingest::RunBundle& bundle, std::string_view run_id,
                           std::uint64_t events) {
  if (!summary) return {SummaryState::unreadable, summary.error().message};
  if (!run_id.empty() && !summary->run_id.empty() && summary->run_id != run_id)
    return {SummaryState::foreign, fmt::format("it is of the run {}", printable(summary->run_id))};
  if (!summary->inputs.empty()) {
    const auto now = inputs_of(bundle);
    if (!now) return {SummaryState::unverifiable, now.error().message};
    // Samples alone do not make a summary: the large files were left out.
    const bool has_raw = std::ranges::any_of(*now, [](const SummaryInput& input) { return input.path != paths::gpu_metrics; });
    if (!has_raw) return {SummaryState::unverifiable, "what it was made of is not here"};
    const std::string words = difference(summary->inputs, *now);
    return words.empty() ? SummaryCheck{SummaryState::fits, {}} : SummaryCheck{SummaryState::stale, words};
  }
  if (events > 0 && summary->event_count && *summary->event_count >= 0 && *summary->event_count != static_cast<std::int64_t>(events)) {
    return {SummaryState::stale, fmt::format("it was made of {}, the stream has {}",
                                             count_text(static_cast<std::size_t>(*summary->event_count), "event"), events)};
  }
  return {SummaryState::unverifiable, "it does not say what it was made of"};
}

}  // namespace frx::report
