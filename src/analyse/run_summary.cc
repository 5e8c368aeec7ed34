#include "analyse/run_summary.h"

#include "answer/json.h"
#include "base/files.h"
#include "compose/answers.h"
#include "ingest/run_bundle/open_bundle.h"
#include "model/bundle_paths.h"
#include "report/summary_check.h"

namespace frx::analyse {
namespace {

using answer::Json;

// Of which files a summary was made.
Json inputs_json(const std::vector<ingest::SummaryInput>& inputs) {
  Json list = Json::array();
  for (const ingest::SummaryInput& input : inputs) {
    list.push_back({{"path", input.path}, {"bytes", input.bytes}, {"sha256", input.sha256.empty() ? Json(nullptr) : Json(input.sha256)}});
  }
  return list;
}

}  // namespace

Result<> write_run_summary(const report::RunReport& report, const std::string& folder, const answer::Json& more) {
  TRY_ASSIGN(const ingest::RunBundle bundle, ingest::RunBundle::open(folder));
  const bool has_summary = bundle.has(model::bundle::derived_summary);
  if (has_summary && report.record.events == 0) return {};  // a summary of other origin, and no events to make a better one from
  const std::shared_ptr<const report::RunReport> borrowed(std::shared_ptr<const void>(), &report);
  Json summary = Json::parse(answer::json_text_of(compose::answer_of(borrowed, "auto").payload));
  summary["source"] = report.name;
  summary["status"] = nullptr;   // not decided yet; metadata.json will say it
  summary["summary"] = nullptr;  // the one it takes the place of
  summary["notes"] = report.notes;
  TRY_ASSIGN(const std::vector<ingest::SummaryInput> inputs, report::inputs_of(bundle));
  summary["inputs"] = inputs_json(inputs);
  for (const auto& [name, value] : more.items()) summary[name] = value;
  return write_file(folder + "/" + std::string(model::bundle::derived_summary), answer::json_text(summary));
}

}  // namespace frx::analyse
