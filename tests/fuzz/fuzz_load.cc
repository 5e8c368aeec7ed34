// Any bytes: what they are is found out; they are read, diagnosed, advised on and printed in every way.
// Findings make sense, and nothing that a terminal would act on reaches the report.
#include "advise/advice.h"
#include "advise/catalogue.h"
#include "compose/answers.h"
#include "fuzz/input.h"
#include "ingest/profile.h"
#include "render/render.h"

namespace {

using frx::fuzz::require;

const frx::advise::Catalogue& catalogue() {
  static const frx::advise::Catalogue cards = frx::advise::Catalogue::load(frx::fuzz::knowledge()).value();
  return cards;
}

void check(const std::vector<frx::model::Finding>& findings) {
  for (const frx::model::Finding& finding : findings) {
    require(finding.type != nullptr && finding.fires() && finding.score >= 0 && finding.score <= 1);
    require(!finding.time_at_stake || *finding.time_at_stake >= 0);
  }
}

void check_harmless(const std::string& text) {
  for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 ? c != 0x7F : c == '\n' || c == '\t');
}

void print(const frx::report::NcuReport& report) {
  const frx::answer::Answer answer =
      frx::compose::answer_of(std::shared_ptr<const frx::report::NcuReport>(std::shared_ptr<void>(), &report));
  for (const std::string_view format : {"text", "json", "markdown", "brief"}) {
    for (const auto detail : {frx::answer::Detail::full, frx::answer::Detail::brief}) {
      std::string text;
      for (const int width : {40, 80}) {
        require(frx::render::render(answer, format, {width, false, detail}, [&](std::string_view part) { text += part; }).has_value());
      }
      check_harmless(text);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(input.text());
  frx::Result<frx::model::Session> session = frx::ingest::read_profile("fuzz", *source, frx::fuzz::knowledge().metrics);
  if (!session) {
    require(!session.error().message.empty());
    check_harmless(session.error().message);
    return 0;
  }
  auto run = frx::diagnose::diagnose(std::move(*session), frx::fuzz::knowledge(), {});
  require(run.has_value());
  check(run->findings);
  for (const frx::diagnose::KernelDiagnosis& kernel : run->kernels) check(kernel.findings);
  frx::Result<frx::advise::Advice> advice = frx::advise::advise(*run, catalogue(), frx::fuzz::knowledge());
  require(advice.has_value());
  print(frx::report::assemble(*run, std::move(*advice), frx::fuzz::knowledge()));
  return 0;
}
