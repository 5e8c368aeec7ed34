// What a report of operators says beside the times: kinds of work, modules, lines of the program, rates, and what makes it misleading.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "knowledge/knowledge.h"
#include "knowledge/operator_categories.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

// Sums kernels by their name and that of their operator.
class PartSums {
 public:
  void add(std::string_view operation, std::string_view kernel, std::int64_t ns);
  std::vector<OperatorPart> parts() const;

 private:
  std::map<std::pair<std::string, std::string>, KernelShare> sums_;
};

// Everything below; of a recording. Rates and lines stand at operators, so only reports by operator have them, and only those by module
// have the tree.
void add_details(OperatorReport& report, const OperatorProfile& profile, OperatorGrouping grouping, const knowledge::Knowledge& known,
                 const knowledge::OperatorCategories& categories);
// Of a report about a file that was written before, what its parts tell.
void add_details(OperatorReport& report, const knowledge::OperatorCategories& categories);

// `why`: ends the sentence, "" or ": its launch ...".
void add_unattributed_flag(OperatorReport& report, std::string_view why);
void divide_by_category(OperatorReport& report, const OperatorProfile& profile, const knowledge::OperatorCategories& categories);
void add_flags(OperatorReport& report, const OperatorProfile& profile);
void add_modules(OperatorReport& report, const OperatorProfile& profile);
void add_lines(OperatorReport& report, const OperatorProfile& profile);
void add_rates(OperatorReport& report, const OperatorProfile& profile, const knowledge::Knowledge& known);

}  // namespace frx::report
