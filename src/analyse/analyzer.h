// What an analyser looks like, and the list of all of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analyse/analyse.h"

namespace frx::analyse {

struct Analyzer {
  std::string_view id;
  std::string_view needs, gives;  // in words
  bool (*takes)(std::span<const Input> inputs);
  Result<AnyReport> (*analyse)(std::vector<Input>& inputs, Context& context);
};

// In the order of analyzers.def.
std::span<const Analyzer* const> analyzers();
// The one that takes these together; null when no analyser does.
const Analyzer* analyzer_for(std::span<const Input> inputs);

// What the analyser of run bundles does. `layouts`: as of analyse_run().
Result<std::shared_ptr<const report::RunReport>> analyse_bundle(Input& input, Context& context, report::Layouts layouts);

// What the analyser of ranks does with as many as are analysed one by one; null where there are more, which are not analysed.
Result<std::shared_ptr<const report::RanksReport>> analyse_few_ranks(std::vector<Input>& inputs, Context& context);

#define FRX_ANALYZER(name) extern const Analyzer name##_analyzer;
#include "analyse/analyzers.def"
#undef FRX_ANALYZER

}  // namespace frx::analyse
