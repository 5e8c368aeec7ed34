// Evaluates the rules of static analysis for kernels and launches.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/code_rules.h"
#include "model/finding.h"

namespace frx::detect {

// Does the rule hold? nullopt when a deciding fact is absent, or the subject is not of its scope. `sm_version` ("sm_90", or "" when
// unknown) selects its overrides.
std::optional<bool> holds(const knowledge::CodeRule& rule, const model::CodeSubject& subject, std::string_view sm_version);

// {name} becomes the fact's value, {name:load} "1 load" or "2 loads"; an unknown name is left unchanged, so that a mistake is visible.
std::string filled(std::string_view message, const model::CodeSubject& subject);

// Most severe first, then by file, line and rule. One finding per rule and subject.
std::vector<model::Finding> examine(const knowledge::CodeRules& rules, std::span<const model::CodeSubject> subjects,
                                    std::string_view sm_version);

// The order of findings in every output.
void sort_findings(std::vector<model::Finding>& findings);

}  // namespace frx::detect
