// FullProfile documents, of any version. Whatever the bytes: what is read is written so that it reads as the same again, a profile does not
// differ from itself, and a contract written from it is one.
#include "answer/json_object.h"
#include "compose/full_profile_json.h"
#include "fuzz/input.h"
#include "report/kernels/profile_contract.h"
#include "report/kernels/profile_diff.h"
#include "report/kernels/read_full_profile.h"

namespace {

std::string text_of(const frx::model::FullProfile& profile) {
  return frx::answer::json_text_of([&](frx::answer::JsonObject& out) { frx::compose::put_full_profile(out, profile); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const auto profile = frx::report::read_full_profile("fuzz", input.text());
  if (!profile) {
    frx::fuzz::require(profile.error().where == "fuzz");
    return 0;
  }
  const std::string text = text_of(*profile);
  const auto again = frx::report::read_full_profile("fuzz", text);
  frx::fuzz::require(again.has_value() && text_of(*again) == text);
  const auto diff = frx::report::diff_profiles(*profile, *profile, "a", "b");
  frx::fuzz::require(frx::report::outcome_of(diff) != "improved" && frx::report::outcome_of(diff) != "regressed");
  for (const auto& one : diff.metrics) frx::fuzz::require(one.verdict == frx::report::MetricChange::Verdict::same);
  if (const auto contract = frx::report::contract_for(*profile, 10)) {
    const auto read = frx::report::read_contract("fuzz.yaml", *contract);
    frx::fuzz::require(read.has_value());
    frx::report::verify_contract(*read, &*profile, &*profile, true);
  }
  return 0;
}
