#include "cli/config_commands.h"

#include "answer/json_object.h"
#include "base/text.h"

namespace frx::cli {
namespace {

using answer::Document;
using answer::JsonObject;
using answer::Table;

constexpr std::string_view hidden = "set, and not shown";

std::string shown_value(const Setting& setting) { return setting.kind->is_secret() ? std::string(hidden) : join(setting.values, ", "); }

std::string words_of(const SettingFile& file) {
  if (file.path.empty()) return "none: no .frx.yaml here or above";
  return file.is_there ? file.path : file.path + " (not there)";
}

Document page_of_settings(const Settings& settings) {
  Document page;
  page.title("FRX settings");
  page.section("Settings", answer::Part::verdict);
  constexpr std::size_t width = 34;
  Table table{{{"key", 19, false, 0, true}, {"value", width, false, 1, true}, {"from", 0, false, 1, true}}};
  for (const SettingKind& kind : setting_kinds()) {
    const std::vector<const Setting*> found = settings.of(kind.key);
    if (found.empty()) {
      table.add({kind.key, shorten(kind.otherwise, width), "default"}, answer::Tone::dim);
    } else {
      table.add({kind.key, shorten(shown_value(*found.front()), width), found.front()->from});
    }
  }
  page.add(std::move(table));
  page.section("Files", answer::Part::closing);
  for (const SettingFile& file : settings.files()) page.fact(name_of(file.origin), words_of(file), 9);
  return page;
}

Document page_of_files(const std::vector<SettingFile>& files) {
  Document page;
  for (const SettingFile& file : files) page.fact(name_of(file.origin), words_of(file), 9);
  return page;
}

Document page_of_setting(const Settings& settings, const SettingKind& kind) {
  constexpr std::size_t width = 10;
  Document page;
  page.title("FRX setting", kind.key);
  page.section("What it is", answer::Part::verdict);
  page.fact("Says", answer::Text(kind.help), width);
  page.fact("Expects", expected_value(kind), width);
  page.fact("Default", answer::Text(kind.otherwise), width);
  page.fact("Variable", answer::Text(kind.variable), width);
  if (!kind.option.empty())
    page.fact("Option", kind.command.empty() ? std::string(kind.option) : fmt::format("{} of frx {}", kind.option, kind.command), width);
  page.fact("Set by", answer::Text(who_may_set(kind)), width);
  page.section("Values", "(the first holds)");
  const std::vector<const Setting*> found = settings.of(kind.key);
  for (const Setting* setting : found) page.hanging("- ", fmt::format("{} ({})", shown_value(*setting), setting->from));
  page.hanging("- ", fmt::format("{} (default)", kind.otherwise));
  return page;
}

void put_value(JsonObject& out, const SettingKind& kind, const Setting* setting) {
  if (setting == nullptr || kind.is_secret()) {
    out.add("value", nullptr);
  } else if (kind.is_list()) {
    out.add("value", setting->values);
  } else {
    out.add("value", setting->values.front());
  }
  out.add("origin", setting ? name_of(setting->origin) : std::string_view("default"), "from",
          setting ? std::optional<std::string_view>(setting->from) : std::nullopt);
}

void put_setting(JsonObject& out, const Settings& settings, const SettingKind& kind) {
  const std::vector<const Setting*> found = settings.of(kind.key);
  out.add("key", kind.key);
  put_value(out, kind, found.empty() ? nullptr : found.front());
  out.add("is_set", !found.empty(), "default", kind.otherwise, "variable", kind.variable, "option", answer::unless_empty(kind.option),
          "command", answer::unless_empty(kind.command), "expects", expected_value(kind), "set_by", who_may_set(kind), "help", kind.help);
}

void put_files(JsonObject& out, const std::vector<SettingFile>& files) {
  out.list("files", files, [](JsonObject& inner, const SettingFile& file) {
    inner.add("origin", name_of(file.origin), "path", answer::unless_empty(file.path), "exists", file.is_there);
  });
}

}  // namespace

answer::Answer answer_about_settings(std::shared_ptr<const Settings> settings) {
  answer::Answer answer{.what = "the settings", .mode = "config"};
  answer.document = [&shown = *settings](answer::Detail) { return page_of_settings(shown); };
  answer.payload = [&shown = *settings](JsonObject& out) {
    out.add("schema", "frx_config_v1");
    out.list("settings", setting_kinds(), [&](JsonObject& inner, const SettingKind& kind) { put_setting(inner, shown, kind); });
    put_files(out, shown.files());
  };
  answer.kept.push_back(std::move(settings));
  return answer;
}

answer::Answer answer_about_files(std::shared_ptr<const Settings> settings) {
  answer::Answer answer{.what = "the files of settings", .mode = "config_files"};
  answer.document = [&shown = settings->files()](answer::Detail) { return page_of_files(shown); };
  answer.payload = [&shown = settings->files()](JsonObject& out) { put_files(out, shown); };
  answer.kept.push_back(std::move(settings));
  return answer;
}

answer::Answer answer_about_setting(std::shared_ptr<const Settings> settings, const SettingKind& kind) {
  answer::Answer answer{.what = "a setting", .mode = "config_setting"};
  answer.document = [&shown = *settings, &kind](answer::Detail) { return page_of_setting(shown, kind); };
  answer.payload = [&shown = *settings, &kind](JsonObject& out) {
    put_setting(out, shown, kind);
    out.list("values", shown.of(kind.key), [&](JsonObject& inner, const Setting* one) { put_value(inner, kind, one); });
  };
  answer.kept.push_back(std::move(settings));
  return answer;
}

}  // namespace frx::cli
