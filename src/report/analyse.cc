#include "report/analyse.h"

#include "ingest/profile.h"

namespace frx::report {

Result<std::unique_ptr<Analyst>> Analyst::create(AnalysisOptions options) {
  std::unique_ptr<Analyst> analyst(new Analyst);
  TRY_ASSIGN(analyst->expertise_, Expertise::load(options.data_directory));
  analyst->options_ = std::move(options);
  return analyst;
}

Result<const NcuReport*> Analyst::analyse(std::string name, ByteSource& source, const std::function<void(std::uint64_t)>& progress) {
  TRY_ASSIGN(model::Session session, ingest::read_profile(std::move(name), source, knowledge().metrics, progress));  // the observation
  return analyse(std::move(session));
}

Result<const NcuReport*> Analyst::analyse(model::Session session) {
  const knowledge::Knowledge& known = knowledge();
  auto done = std::make_unique<Case>();
  diagnose::Options options;
  options.gpu_model = options_.gpu_model;
  options.gpu_is_fallback = options_.gpu_is_fallback;
  options.arch_profile = options_.arch_profile;
  TRY_ASSIGN(done->run, diagnose::diagnose(std::move(session), known, options));                 // the diagnosis
  TRY_ASSIGN(advise::Advice advice, advise::advise(done->run, expertise_->catalogue(), known));  // the advice
  done->report = assemble(done->run, std::move(advice), known);                                  // the report
  cases_.push_back(std::move(done));
  return &cases_.back()->report;
}

Result<const NcuReport*> Analyst::analyse_file(const std::string& path, const std::function<void(std::uint64_t)>& progress) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  return analyse(path, *source, progress);
}

}  // namespace frx::report
