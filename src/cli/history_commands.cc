#include "cli/history_commands.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/moment.h"
#include "base/text.h"
#include "capture/environment.h"
#include "cli/git_revision.h"
#include "cli/print_answer.h"
#include "compose/history.h"
#include "history/json_in.h"
#include "render/render.h"

namespace frx::cli {
namespace {

using answer::Json;

// The first value of "name : value" in a file of /proc.
std::string value_in(const std::optional<std::string>& file, std::string_view name) {
  if (!file) return {};
  for (const std::string_view line : split(*file, '\n')) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    if (colon != line.npos) return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

// "6.1.0-18-amd64" of "Linux version 6.1.0-18-amd64 (...".
std::string kernel_in(const std::optional<std::string>& version) {
  const std::vector<std::string_view> words = version ? split(*version, ' ') : std::vector<std::string_view>();
  return words.size() > 2 ? std::string(words[2]) : std::string();
}

std::string machine_here(const Io& io) {
  const auto file = [&](const char* path) { return io.host->file(path); };
  const std::pair<const char*, std::string> facts[] = {{"host", std::string(trim(file("/proc/sys/kernel/hostname").value_or("")))},
                                                       {"cpu", value_in(file("/proc/cpuinfo"), "model name")},
                                                       {"linux", kernel_in(file("/proc/version"))},
                                                       {"driver", capture::driver_version(*io.host)}};
  Json machine = Json::object();
  for (const auto& [name, value] : facts) {
    if (!value.empty()) machine[name] = value;
  }
  return machine.empty() ? "" : history::json_line(machine);
}

Result<std::string> path_of_history(const std::string& store, const Io& io) {
  if (!store.empty()) return store;
  if (const std::optional<std::string> named = io.environment("FRX_HISTORY"); named && !named->empty()) return *named;
  const std::string state = io.environment("XDG_STATE_HOME").value_or(""), home = io.environment("HOME").value_or("");
  if (state.starts_with('/')) return state + "/frx/history.db";  // XDG: a path that is not absolute does not count
  if (home.starts_with('/')) return home + "/.local/state/frx/history.db";
  return fail(ErrorKind::usage, "history: neither --store, FRX_HISTORY, XDG_STATE_HOME nor HOME says where the history is")
      .hint("name its file: --store history.db");
}

}  // namespace

void describe_store(Syntax& syntax, std::string& store) {
  syntax.option("--store", "PATH", store,
                "the history: its file, or clickhouse://HOST/DATABASE (default: what FRX_HISTORY says, or the file of your account)");
}

void describe_history(Syntax& syntax, HistoryOptions& options) {
  describe_store(syntax, options.store);
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json");
  describe_open(syntax, options.open);
}

void describe_history_codes(Syntax& syntax, std::string_view found) {
  syntax.exit_code(0, found);
  syntax.exit_code(1, "a file or the history cannot be read or written, or is damaged");
}

Result<std::unique_ptr<history::Store>> open_history(const std::string& store, history::Open how, const Io& io) {
  TRY_ASSIGN(const std::string path, path_of_history(store, io));
  const history::Credentials credentials{.user = io.environment("FRX_CLICKHOUSE_USER").value_or(""),
                                         .password = io.environment("FRX_CLICKHOUSE_PASSWORD").value_or("")};
  return history::open_store(path, how, credentials);
}

Result<std::string> id_called(history::Store& store, const std::string& name) {
  TRY_ASSIGN(const std::vector<history::Baseline> baselines, store.baselines());
  const auto named = std::ranges::find(baselines, name, &history::Baseline::name);
  return named == baselines.end() ? name : named->id;
}

Result<history::Record> record_called(history::Store& store, const std::string& name) {
  TRY_ASSIGN(const std::string id, id_called(store, name));
  return store.record(id);
}

std::int64_t moment_of_record(const Io& io) {
  const std::string epoch = io.environment("SOURCE_DATE_EPOCH").value_or("");
  std::int64_t seconds = 0;
  if (std::from_chars(epoch.data(), epoch.data() + epoch.size(), seconds).ec == std::errc() && seconds >= 0 && seconds < 253'402'300'800)
    return seconds * 1000;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

history::Recording recording_here(const Io& io) {
  return {
      .series = {}, .at_ms = moment_of_record(io), .commit = git_revision(*io.host), .program = FRX_VERSION, .machine = machine_here(io)};
}

Result<std::int64_t> moment_given(std::string_view option, const std::string& text) {
  const std::optional<std::int64_t> moment = moment_in(text);
  if (moment) return *moment;
  return fail(ErrorKind::usage, "expected a day such as 2026-11-26, or a time such as 2026-11-26T12:00:00Z, as {}, found '{}'", option,
              shorten(printable(text), 40));
}

Result<history::Recorded> record_all(history::Store& store, const std::vector<history::Record>& records,
                                     const std::vector<std::string>& from) {
  history::Recorded recorded;
  recorded.store = store.name();
  TRY_ASSIGN(const history::Stored stored, store.add(records));
  recorded.predictions = stored.predictions;
  for (std::size_t i = 0; i < records.size(); ++i)
    recorded.records.push_back({records[i].id, records[i].series, records[i].verdict, from[i], stored.is_new[i]});
  return recorded;
}

Result<> record_answer(Io& io, const answer::Answer& answer) {
  std::string text;
  TRY(render::render(answer, "json", {80, false, answer::Detail::full}, [&text](std::string_view part) { text += part; }));
  const std::optional<Json> document = history::json_in(text);
  if (text.size() > 2 * history::largest_document) {
    return fail(ErrorKind::malformed, "--record: the answer is larger than {} MiB, the most that a history keeps",
                history::largest_document >> 20);
  }
  if (!document) return fail(ErrorKind::malformed, "--record: the answer nests deeper than a history keeps");
  TRY_ASSIGN(const history::Record record, history::record_of(*document, recording_here(io), "--record"));
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history("", history::Open::to_write, io));
  TRY_ASSIGN(const history::Recorded recorded, record_all(*store, {record}, {"--record"}));
  io.recording = Io::Recording::done;
  io.out.flush();
  io.err.write(fmt::format("{}: {} as {} in series {}\n", io.program, recorded.added() > 0 ? "recorded" : "was recorded before",
                           compose::short_id(record.id), printable(record.series)));
  return {};
}

Result<int> print_history(const HistoryOptions& options, std::string_view command, const answer::Answer& answer, Io& io, int code) {
  TRY_ASSIGN(const std::string format, format_of(command, options.json, options.format));
  TRY(open_if_asked(command, options.open, format, io));
  TRY(print_answer(io, answer, format));
  return code;
}

}  // namespace frx::cli
