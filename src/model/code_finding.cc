#include "model/code_finding.h"

namespace frx::model {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::low: return "low";
    case Severity::medium: return "medium";
    case Severity::high: return "high";
  }
  return "";
}

}  // namespace frx::model
