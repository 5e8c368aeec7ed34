// The knowledge and the advice catalogue, as one object that analysts share.
#pragma once

#include <memory>
#include <string>

#include "advise/catalogue.h"
#include "knowledge/knowledge.h"

namespace frx::report {

class Expertise {
 public:
  // `data_directory`: --data DIR merged over the embedded data, or "". The embedded one is built once, lives as long as the process and is
  // never destroyed: that would be a tenth of the time of a small run. Errors name file and line of the overlay.
  static Result<std::shared_ptr<const Expertise>> load(const std::string& data_directory);

  const knowledge::Knowledge& knowledge() const { return knowledge_; }
  const advise::Catalogue& catalogue() const { return *catalogue_; }

 private:
  Expertise() = default;
  static Result<std::unique_ptr<Expertise>> make(const std::string& data_directory);

  knowledge::Knowledge knowledge_;
  std::unique_ptr<advise::Catalogue> catalogue_;  // points into knowledge_
};

}  // namespace frx::report
