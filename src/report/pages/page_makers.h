// The pages of each kind of rule and label, in the order in which they are listed.
#pragma once

#include "report/pages/page_names.h"
#include "report/pages/rule_page.h"

namespace frx::report {

// What all makers read, and the pages that they add to.
struct PageMaker {
  const Expertise& expertise;
  PageNames names;
  std::vector<RulePage>& pages;

  const knowledge::Library& library() const { return expertise.knowledge().library; }
};

void add_code_rules(PageMaker& maker);
void add_layout_detectors(PageMaker& maker);
void add_kernel_labels(PageMaker& maker);
void add_run_labels(PageMaker& maker);
void add_code_labels(PageMaker& maker);
void add_diagnoses(PageMaker& maker);

// What pages of several kinds do alike.

// "uncoalesced_access" as people say it: "Uncoalesced access".
std::string title_of_id(std::string_view id);
// An expression on one line, as YAML folds it.
std::string condition_text(std::string_view written);
// The file, without the line.
std::string file_of(const frx::Value& root);
void add_cases(const frx::Value& cases, RulePage& page);
void add_cards(const std::vector<std::string_view>& ids, const advise::Catalogue& catalogue, RulePage& page);
// Those that rules propose for this label.
void add_proposed_cards(std::string_view label, const advise::Catalogue& catalogue, RulePage& page);
// A trait that has a value.
void add_trait(RulePage& page, std::string_view name, std::string_view value);
// What the cards expect after the change.
void add_checks_of_cards(RulePage& page);
// The names of cases in which it is silent or undecided, as sentences of what it does not see.
void add_blind_cases(RulePage& page);

}  // namespace frx::report
