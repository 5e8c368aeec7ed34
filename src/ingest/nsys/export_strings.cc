#include "ingest/nsys/export_strings.h"

namespace frx::ingest::nsys {

Result<TableEnd> ExportStrings::read(const Database& database) {
  return database.each_row("StringIds", {"id", "value"}, [&](const Row& row) {
    const std::int64_t id = row.integer_or(0, -1);
    const std::string_view text = row.text(1);
    // Numbers usually count the rows; then none has to be kept.
    if (id != static_cast<std::int64_t>(ends_.size())) index_.emplace(id, static_cast<std::uint32_t>(ends_.size()));
    letters_.insert(letters_.end(), text.begin(), text.end());
    ends_.push_back(letters_.size());
    names_.push_back(unknown);
  });
}

std::size_t ExportStrings::index_of(std::int64_t id) const {
  if (const auto at = index_.find(id); at != index_.end()) return at->second;
  return static_cast<std::size_t>(id);
}

std::string_view ExportStrings::operator[](std::int64_t id) const {
  if (id < 0) return {};
  const std::size_t index = index_of(id);
  if (index >= ends_.size()) return {};
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return {letters_.data() + begin, ends_[index] - begin};
}

std::uint32_t ExportStrings::name_of(std::int64_t id, std::string_view (*as)(std::string_view)) {
  const std::string_view text = (*this)[id];
  if (text.data() == nullptr) return timeline_.names.add("(no name)");
  std::uint32_t& known = names_[index_of(id)];
  if (known == unknown) known = timeline_.names.add(as ? as(text) : text);
  return known;
}

}  // namespace frx::ingest::nsys
