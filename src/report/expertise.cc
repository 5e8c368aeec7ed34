#include "report/expertise.h"

#include <utility>

namespace frx::report {

Result<std::unique_ptr<Expertise>> Expertise::make(const std::string& data_directory) {
  std::unique_ptr<Expertise> all(new Expertise);
  TRY_ASSIGN(all->knowledge_, knowledge::Knowledge::load(data_directory));
  const bool is_embedded = data_directory.empty();
  TRY_ASSIGN(advise::Catalogue catalogue,
             is_embedded ? advise::Catalogue::load_unchecked(all->knowledge_) : advise::Catalogue::load(all->knowledge_));
  all->catalogue_ = std::make_unique<advise::Catalogue>(std::move(catalogue));
  return all;
}

Result<std::shared_ptr<const Expertise>> Expertise::load(const std::string& data_directory) {
  if (!data_directory.empty()) {
    TRY_ASSIGN(std::unique_ptr<Expertise> own, make(data_directory));
    return std::shared_ptr<const Expertise>(std::move(own));
  }
  // By pointer, so that it is never destroyed at exit.
  static const auto* const embedded = new Result<std::unique_ptr<Expertise>>(make(""));
  if (!*embedded) return tl::unexpected(embedded->error());
  return std::shared_ptr<const Expertise>(std::shared_ptr<const Expertise>(), embedded->value().get());
}

}  // namespace frx::report
