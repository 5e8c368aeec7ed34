// The page of a rule or label, as an answer and for code scanners.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answer/answer.h"
#include "report/pages/rule_page.h"

namespace frx::compose {

// All pages that have one id: a rule of several kinds of code, a rule and a label.
answer::Answer answer_of(std::shared_ptr<const report::RulePages> pages, std::vector<const report::RulePage*> shown);
// Their list.
answer::Answer list_of(std::shared_ptr<const report::RulePages> pages);

// All of them as docs/ holds them, with an index for each folder; paths below docs/.
struct RulePageFile {
  std::string path;
  answer::Document page;
  std::vector<std::pair<std::string, std::string>> index = {};  // of a folder: ids and words of the files in it
};
std::vector<RulePageFile> files_of(const report::RulePages& pages);

// For answer::Answer::rule_page; the pages are kept.
// `kind`: findings in code are of rules, those of a profile of labels.
answer::RulePageOf page_of_rules(std::shared_ptr<const report::RulePages> pages, report::RulePage::Kind kind);

}  // namespace frx::compose
