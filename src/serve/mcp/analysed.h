// An analysis as the tools use it: the result that `frx analyze --json` prints, and what stands in it by the names that its kinds have for
// the same things.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/analyse.h"
#include "answer/answer.h"
#include "serve/mcp/tools.h"

namespace frx::serve {

struct Analysed {
  analyse::Context context;
  analyse::Analysis analysis = {};
  std::vector<std::string> paths = {};
  std::string mode = {};  // as of analyze --json
  Json result = {};

  bool is_profile() const { return mode == "ncu"; }
  bool is_code() const { return mode == "cuda_source" || mode == "ptx" || mode == "device_code" || mode == "code"; }
  bool is_run() const { return mode == "trace" || mode == "run_bundle" || mode == "ranks"; }
  // Of a run: the steady state where there is one with steps.
  const Json& scope() const;
  // All of code, whatever the number of files.
  std::vector<Json> findings() const;
  // The command that prints everything: "frx analyze a.cu --json".
  std::string command() const;
};

Result<std::unique_ptr<Analysed>> analysed(const ToolCall& call, const std::vector<std::string>& paths);
Json json_of(const answer::Answer& answer);

// What stands at a JSON pointer; null where there is nothing.
const Json& at(const Json& value, std::string_view pointer);
std::string text_at(const Json& value, std::string_view pointer);
std::optional<double> number_at(const Json& value, std::string_view pointer);

// A recommendation as the first action of an answer.
Json action_of(const Json& recommendation);
// "dram_throughput_pct": 92 with where it was read, for each that was measured.
Json evidence_of(const Json& values, const Json& sources);
// A finding about code as an item.
Json item_of_finding(const Json& finding);

}  // namespace frx::serve
