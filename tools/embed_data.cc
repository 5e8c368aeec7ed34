// Build-time helper: data/ -> constant tables.
//
//   frx_embed_tool DATA_DIR OUT.cc HEADERS_DIR
//
// The .cc holds every YAML file as the arrays of a Document (one pool of text for all) and every JSON
// schema as text. The headers hold one constant per metric (metric_ids.h) and per fact of static analysis
// (code_facts.h) and of runs (run_facts.def), so that a program that names one that is not defined does not compile.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "base/document.h"
#include "base/files.h"

namespace {

using frx::Document;
using frx::Result;
namespace fs = std::filesystem;

struct Embedded {
  std::string name;  // relative to data/
  Document document;
  std::string schema;  // JSON text, when it is a schema
};

Result<std::vector<Embedded>> read_all(const fs::path& root) {
  std::vector<Embedded> all;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string extension = entry.path().extension();
    if (extension != ".yaml" && extension != ".json") continue;
    Embedded file;
    file.name = fs::relative(entry.path(), root).generic_string();
    TRY_ASSIGN(std::string text, frx::read_file(entry.path()));
    if (extension == ".json") {
      file.schema = std::move(text);
    } else {
      TRY_ASSIGN(file.document, frx::parse_yaml("data/" + file.name, text));
    }
    all.push_back(std::move(file));
  }
  std::sort(all.begin(), all.end(), [](const Embedded& a, const Embedded& b) { return a.name < b.name; });
  return all;
}

// The text as C string literals of at most 8 kB each: compilers limit one literal, not their sum.
std::string literal(std::string_view text) {
  std::string out = "\n  \"";
  std::size_t since = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '?') {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
    if (++since == 8000) {
      out += "\"\n  \"";
      since = 0;
    }
  }
  return out + "\"";
}

// FNV-1a over names and texts: two builds with the same number know the same things.
std::uint64_t fingerprint(const std::vector<Embedded>& all) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](std::string_view bytes) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  };
  for (const Embedded& file : all) {
    mix("data/" + file.name);
    mix(file.schema.empty() ? file.document.pool : file.schema);
  }
  return hash;
}

// Calls visit(file, entry) for the entries of all metrics, in order.
template <typename Visit>
void for_each_metric(const std::vector<Embedded>& all, const Visit& visit) {
  for (std::size_t file = 0; file < all.size(); ++file) {
    if (!all[file].name.starts_with("metrics/")) continue;
    const frx::DocumentView view = all[file].document.view();
    const frx::Value list = frx::Value(view)["metrics"];
    for (std::size_t i = 0; i < list.size(); ++i) visit(file, list.item(i));
  }
}

// Where the entry of each metric stands, by name, and each name that a profiler has for it: of equals the one that comes last, as in the
// catalogue.
std::string metric_tables(const std::vector<Embedded>& all) {
  std::map<std::string, std::string> entries;
  for_each_metric(all, [&](std::size_t file, const frx::Value& entry) {
    entries[std::string(entry["id"].text())] = fmt::format("{{{},{}}}", file, entry.index());
  });
  std::string out = "\nconstexpr EmbeddedEntry metric_entries[] = {\n";
  for (const auto& [id, place] : entries) out += fmt::format("  {},  // {}\n", place, id);
  out += "};\n";
  for (const std::string_view key : {"ncu", "nvprof", "details"}) {
    std::map<std::string, std::string> names;
    for_each_metric(all, [&](std::size_t file, const frx::Value& entry) {
      const frx::Value list = entry[key];
      const auto metric = std::distance(entries.begin(), entries.find(std::string(entry["id"].text())));
      const auto add = [&](const frx::Value& name) {
        names[std::string(name.text())] = fmt::format("{{{},{{{},{}}}}}", metric, file, name.index());
      };
      if (list.is_text()) add(list);
      for (std::size_t i = 0; list.is_list() && i < list.size(); ++i) add(list.item(i));
    });
    out += fmt::format("\nconstexpr EmbeddedName {}_names[] = {{\n", key);
    for (const auto& [name, place] : names) out += fmt::format("  {},\n", place);
    out += "};\n";
  }
  return out;
}

std::string embedded_source(const std::vector<Embedded>& all) {
  std::string out =
      "// Generated from data/ by tools/embed_data.cc.\n#include \"knowledge/embedded.h\"\n\n"
      "namespace frx::knowledge {\nnamespace {\n";
  std::string table;
  int number = 0;
  for (const Embedded& file : all) {
    out += fmt::format("\n// {}\n", file.name);
    const Document& document = file.document;
    out += fmt::format("constexpr char pool_{}[] ={};\n", number, literal(file.schema.empty() ? document.pool : file.schema));
    const std::size_t pool_size = file.schema.empty() ? document.pool.size() : file.schema.size();
    if (file.schema.empty()) {
      out += fmt::format("constexpr DocumentNode nodes_{}[] = {{", number);
      for (std::size_t i = 0; i < document.nodes.size(); ++i) {
        const frx::DocumentNode& node = document.nodes[i];
        out += fmt::format("{}{{{},{},{},{}}},", i % 6 == 0 ? "\n  " : "", node.kind, node.line, node.begin, node.size);
      }
      out += "\n};\n";
      table += fmt::format("  {{\"data/{}\", nodes_{}, {{pool_{}, {}}}, {}}},\n", file.name, number, number, pool_size, document.root);
    } else {
      table += fmt::format("  {{\"data/{}\", {{}}, {{pool_{}, {}}}, 0}},\n", file.name, number, pool_size);
    }
    ++number;
  }
  out += metric_tables(all);
  out += fmt::format("\nconstexpr DocumentView files[] = {{\n{}}};\n}}  // namespace\n\n", table);
  out += "std::span<const EmbeddedEntry> embedded_metrics() { return metric_entries; }\n";
  out += "EmbeddedNames embedded_names() { return {ncu_names, nvprof_names, details_names}; }\n";
  out += "std::span<const DocumentView> embedded_files() { return files; }\n";
  out +=
      fmt::format("std::uint64_t embedded_fingerprint() {{ return 0x{:016x}u; }}\n\n}}  // namespace frx::knowledge\n", fingerprint(all));
  return out;
}

// The ids in the lists under `key` of the files below `folder`.
std::set<std::string> ids_in(const std::vector<Embedded>& all, std::string_view folder, std::string_view key) {
  std::set<std::string> ids;
  for (const Embedded& file : all) {
    if (!file.name.starts_with(folder)) continue;
    const frx::DocumentView view = file.document.view();
    const frx::Value list = frx::Value(view)[key];
    for (std::size_t i = 0; i < list.size(); ++i) ids.emplace(list.item(i)["id"].text());
  }
  return ids;
}

std::string metric_header(const std::set<std::string>& ids) {
  std::string out =
      "// Generated from data/metrics by tools/embed_data.cc: one constant per metric.\n#pragma once\n\n"
      "#include \"model/metric.h\"\n\nnamespace frx::metrics {\n\n";
  int index = 0;
  for (const std::string& id : ids) out += fmt::format("inline constexpr model::Metric {}{{{}}};\n", id, index++);
  out += fmt::format("inline constexpr std::size_t count = {};\n\n", index);
  out += "inline constexpr const char* ids[] = {\n";
  for (const std::string& id : ids) out += fmt::format("  \"{}\",\n", id);
  return out + "};\n\n}  // namespace frx::metrics\n";
}

std::string fact_header(const std::set<std::string>& ids) {
  std::string out =
      "// Generated from data/facts by tools/embed_data.cc: the facts of static analysis, by name.\n#pragma once\n\n"
      "#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\nnamespace frx::model {\n\n"
      "enum class CodeFactId : std::uint8_t {\n";
  std::string names;
  for (const std::string& id : ids) {
    out += fmt::format("  {},\n", id);
    names += fmt::format("  \"{}\",\n", id);
  }
  return out + fmt::format("}};\n\ninline constexpr std::size_t code_fact_count = {};\n\n", ids.size()) +
         "inline constexpr std::string_view code_fact_names[] = {\n" + names + "};\n\n}  // namespace frx::model\n";
}

// In the order of the file, which is that of the output.
std::string run_fact_list(const std::vector<Embedded>& all) {
  std::string out = "// Generated from data/facts/run.yaml by tools/embed_data.cc: name and unit of what is known of a run.\n";
  for (const Embedded& file : all) {
    if (file.name != "facts/run.yaml") continue;
    const frx::DocumentView view = file.document.view();
    const frx::Value facts = frx::Value(view)["facts"];
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const frx::Value unit = facts.item(i)["unit"];
      out += fmt::format("FRX_RUN_FACT({}, \"{}\")\n", facts.item(i)["id"].text(), unit ? unit.text() : "");
    }
  }
  return out;
}

// Leaves the file alone when nothing changed, so that a new word in a YAML file does not recompile
// everything that includes the header.
Result<> write_if_changed(const std::string& path, const std::string& text) {
  if (const Result<std::string> old = frx::read_file(path); old && *old == text) return {};
  return frx::write_file(path, text);
}

Result<> run(int argc, char** argv) {
  if (argc != 4) return frx::fail(frx::ErrorKind::usage, "usage: frx_embed_tool DATA_DIR OUT.cc HEADERS_DIR");
  TRY_ASSIGN(const std::vector<Embedded> all, read_all(argv[1]));
  TRY(frx::write_file(argv[2], embedded_source(all)));
  const fs::path headers = argv[3];
  TRY(write_if_changed(headers / "metric_ids.h", metric_header(ids_in(all, "metrics/", "metrics"))));
  TRY(write_if_changed(headers / "code_facts.h", fact_header(ids_in(all, "facts/code/", "facts"))));
  TRY(write_if_changed(headers / "run_facts.def", run_fact_list(all)));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (const Result<> done = run(argc, argv); !done) {
    std::fprintf(stderr, "%s\n", frx::to_string(done.error()).c_str());
    return 1;
  }
  return 0;
}
