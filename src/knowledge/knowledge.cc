#include "knowledge/knowledge.h"

namespace frx::knowledge {

Result<Knowledge> Knowledge::load(const std::string& data_directory) {
  Knowledge all;
  if (data_directory.empty()) {
    all.library = Library::builtin();
  } else {
    TRY_ASSIGN(all.library, Library::with_overrides(data_directory));
  }
  TRY_ASSIGN(all.metrics, MetricCatalogue::load(all.library));
  TRY_ASSIGN(all.tables, MetricTables::load(all.library, all.metrics));
  TRY_ASSIGN(all.classes, KernelClasses::load(all.library));
  TRY_ASSIGN(all.labels, LabelCatalogue::load(all.library, all.metrics, all.classes));
  TRY_ASSIGN(all.gpus, GpuCatalogue::load(all.library));
  TRY_ASSIGN(all.presets, load_presets(all.library, all.metrics));
  if (!data_directory.empty()) TRY(all.gpus.check());
  return all;
}

}  // namespace frx::knowledge
