// frx summarise: what an analysis of thousands of ranks needs of a trace, written where the trace lies.

#include <filesystem>
#include <utility>

#include "analyse/summaries.h"
#include "base/output_file.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "cli/json_output.h"
#include "history/run_rank.h"

namespace frx::cli {
namespace command_summarise {
namespace {

namespace fs = std::filesystem;
namespace rank_summary = ingest::rank_summary;

struct Options {
  report::AnalysisOptions analysis;
  std::vector<std::string> files;
  std::string output, node, store, run;
  bool merge = false;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes a small summary of each rank of a trace (.frxsum): its steps and where their time went, each collective with its times, top "
      "kernels and operators. frx analyze reads summaries as it reads traces, and thousands of them at once. Traces of the PyTorch "
      "profiler and exports of Nsight Systems can be summarised. With --store the collectives go into a history instead, where frx history "
      "ranks compares them.");
  syntax.arguments("FILE", options.files, "traces; with --merge and --store also summaries; - is standard input");
  syntax.option("-o,--output", "FILE", options.output, "of a summary (by default beside the trace, TRACE.frxsum); needed by --merge");
  syntax.flag("--merge", options.merge, "write all ranks of these files into one summary");
  syntax.option("--node", "NAME", options.node, "the machine on which the ranks ran, where the name of the trace does not say it");
  syntax.option("--store", "PATH", options.store,
                "the history into which the ranks go, such as clickhouse://HOST/DATABASE; no file is written");
  syntax.option("--run", "NAME", options.run, "with --store: the run that the ranks are of");
  describe_analysis(syntax, options.analysis);
  syntax.flag("--json", options.json, "print JSON: what was written");
  syntax.example("trace.rank3.json.gz --node $(hostname)", "on each node; the summary is a hundredth of the trace");
  syntax.example("--merge rank*.frxsum -o node7.frxsum", "the ranks of a node as one file");
  syntax.example("trace.rank3.json.gz --store clickhouse://db/frx --run job-4711", "instead: into the history of all machines");
  syntax.exit_code(0, "the summaries were written");
  syntax.exit_code(1, "a file or the history cannot be read or written, or a file is no trace");
}

// "trace.rank0.json.gz" -> "trace.rank0.frxsum".
std::string summary_beside(std::string trace) {
  for (const std::string_view tail : {".gz", ".zst", ".json", ".sqlite"}) {
    if (trace.size() > tail.size() && trace.ends_with(tail)) trace.resize(trace.size() - tail.size());
  }
  return trace + std::string(rank_summary::ending);
}

struct Written {
  std::string trace, file;
  std::size_t ranks = 0, steps = 0, calls = 0;
  std::uint64_t bytes = 0, trace_bytes = 0;
};

void count(const std::vector<model::RankSummary>& ranks, Written& written) {
  written.ranks = ranks.size();
  for (const model::RankSummary& rank : ranks) {
    written.steps = std::max(written.steps, rank.head.steps.size());
    written.calls += rank.calls.size();
  }
}

Result<> put(const std::string& file, std::string_view bytes, Written& written) {
  TRY(write_file(file, bytes));
  written.file = file;
  written.bytes = bytes.size();
  return {};
}

Result<Written> summarise_one(const Options& options, const std::string& trace, Session& session) {
  TRY_ASSIGN(analyse::Input input, session.input(trace));
  if (input.kind() == ingest::Kind::rank_summary) {
    return fail(ErrorKind::malformed, "it is a summary already").at(trace).hint("several are made one by frx summarise --merge");
  }
  Written written{input.source.name()};
  std::error_code ignored;
  if (const auto size = fs::file_size(trace, ignored); !ignored) written.trace_bytes = size;
  TRY_ASSIGN(const std::vector<model::RankSummary> ranks, analyse::summarise(std::move(input), session.context(), options.node));
  session.end_progress();
  count(ranks, written);
  TRY(put(options.output.empty() ? summary_beside(trace) : options.output, rank_summary::packed(ranks), written));
  return written;
}

// A summary as it is; a trace is summarised first, in memory.
Result<rank_summary::SummaryFile> opened(const Options& options, const std::string& path, Session& session) {
  TRY_ASSIGN(analyse::Input input, session.input(path));
  if (input.kind() == ingest::Kind::rank_summary) return analyse::open_summaries(input);
  TRY_ASSIGN(rank_summary::SummaryFile made, analyse::summaries_of(std::move(input), session.context(), options.node));
  session.end_progress();
  return made;
}

Result<Written> merge_all(const Options& options, Session& session) {
  if (options.output.empty()) return fail(ErrorKind::usage, "summarise: --merge needs a file to write: --output FILE");
  std::vector<rank_summary::SummaryFile> files;
  for (const std::string& path : options.files) {
    TRY_ASSIGN(rank_summary::SummaryFile file, opened(options, path, session));
    files.push_back(std::move(file));
  }
  TRY_ASSIGN(const std::string bytes, rank_summary::merged(files));
  TRY_ASSIGN(const rank_summary::SummaryFile all, rank_summary::SummaryFile::open(options.output, ingest::random_access_to(bytes)));
  Written written{options.files.size() == 1 ? options.files.front() : count_text(options.files.size(), "file")};
  written.ranks = all.ranks();
  TRY(put(options.output, bytes, written));
  return written;
}

// Of a trace or of summaries, into a store.
struct Sent {
  std::string source;
  std::size_t read = 0, ranks = 0, known = 0, collectives = 0;
  bool is_read = false;  // to its end

  bool is_whole() const { return is_read && ranks == read; }
};

// Ranks on their way into a store, some at once, whichever files they are of.
class Sender {
 public:
  Sender(const Options& options, history::Store& store, std::int64_t at_ms) : options_(options), store_(store), at_ms_(at_ms) {}

  void begin_file(const std::string& path) { files_.push_back({.source = path}); }
  void end_file() { files_.back().is_read = true; }

  // Of the file that was begun last.
  Result<> add(history::RunRank rank) {
    ranks_.push_back(std::move(rank));
    file_of_.push_back(files_.size() - 1);
    ++files_.back().read;
    if (ranks_.size() == at_once) TRY(send());
    return {};
  }

  Result<> send() {
    const std::vector<history::RunRank> ranks = std::exchange(ranks_, {});
    const std::vector<std::size_t> file_of = std::exchange(file_of_, {});
    if (ranks.empty()) return {};
    TRY_ASSIGN(const std::vector<bool> is_new, store_.add_ranks(options_.run, ranks, at_ms_));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      Sent& sent = files_[file_of[i]];
      ++sent.ranks;
      if (!is_new[i]) ++sent.known;
      sent.collectives += ranks[i].collectives.size();
    }
    return {};
  }

  const std::vector<Sent>& files() const { return files_; }

 private:
  static constexpr std::size_t at_once = 64;

  const Options& options_;
  history::Store& store_;
  std::int64_t at_ms_;
  std::vector<Sent> files_;
  std::vector<history::RunRank> ranks_;
  std::vector<std::size_t> file_of_;  // of each of them
};

Result<> send_one(const Options& options, const std::string& path, Session& session, Sender& sender) {
  TRY_ASSIGN(const rank_summary::SummaryFile file, opened(options, path, session));
  sender.begin_file(path);
  for (std::size_t i = 0; i < file.ranks(); ++i) {
    TRY_ASSIGN(const model::RankSummary summary, file.whole(i));
    Result<history::RunRank> rank = history::run_rank_of(summary);
    if (!rank) return Failure{std::move(rank).error()}.at(path);
    TRY(sender.add(std::move(*rank)));
  }
  sender.end_file();
  return {};
}

void tell_sent(const Options& options, const std::vector<Sent>& all, const std::string& store, Io& io) {
  Json files = Json::array();
  for (const Sent& sent : all) {
    if (!sent.is_whole()) continue;
    files.push_back({{"source", sent.source}, {"store", store}, {"run", options.run}, {"ranks", sent.ranks}, {"known", sent.known}});
    if (options.json) continue;
    io.out.write(fmt::format("sent {}: {}, {} of them known before, {}\n", printable(sent.source), count_text(sent.ranks, "rank"),
                             sent.known, count_text(sent.collectives, "collective")));
  }
  if (options.json) write_json(io, "summarise", {{"files", files}});
}

Result<int> send_all(const Options& options, Session& session, Io& io) {
  if (options.run.empty()) return fail(ErrorKind::usage, "summarise: --store needs the name of the run: --run NAME");
  if (options.merge || !options.output.empty())
    return fail(ErrorKind::usage, "summarise: with --store no file is written, and --{} was given", options.merge ? "merge" : "output");
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.store, history::Open::to_write, io));
  Sender sender(options, *store, moment_of_record(io));
  Result<> done;
  for (auto path = options.files.begin(); done && path != options.files.end(); ++path) done = send_one(options, *path, session, sender);
  // Also what was read before a file that cannot be; the first error counts.
  Result<> rest = sender.send();
  if (done) done = std::move(rest);
  if (!options.json || done) tell_sent(options, sender.files(), store->name(), io);
  if (!done) return Failure{std::move(done).error()};
  return 0;
}

std::string bytes_text(std::uint64_t bytes) { return format_quantity(static_cast<double>(bytes), "byte"); }

void tell(const Options& options, const std::vector<Written>& all, Io& io) {
  if (options.json) {
    Json files = Json::array();
    for (const Written& one : all) files.push_back({{"source", one.trace}, {"file", one.file}, {"ranks", one.ranks}, {"bytes", one.bytes}});
    write_json(io, "summarise", {{"files", files}});
    return;
  }
  for (const Written& one : all) {
    std::string text = fmt::format("wrote {}: {}, {}", printable(one.file), count_text(one.ranks, "rank"), bytes_text(one.bytes));
    if (!options.merge) text += fmt::format(", {}, {}", count_text(one.steps, "step"), count_text(one.calls, "collective"));
    if (one.trace_bytes > 0) text += fmt::format(" (the trace: {})", bytes_text(one.trace_bytes));
    io.out.write(text + "\n");
  }
}

Result<int> act(const Options& options, Io& io) {
  if (options.files.empty()) return fail(ErrorKind::usage, "summarise: expected a trace");
  if (!options.merge && !options.output.empty() && options.files.size() > 1) {
    return fail(ErrorKind::usage, "summarise: --output names one file, and {} were given", count_text(options.files.size(), "trace"))
        .hint("--merge writes their ranks into one summary");
  }
  Session session(options.analysis, io);
  if (!options.store.empty()) return send_all(options, session, io);
  if (!options.run.empty()) return fail(ErrorKind::usage, "summarise: --run names the run of ranks that go into a history: --store STORE");
  std::vector<Written> all;
  if (options.merge) {
    TRY_ASSIGN(Written written, merge_all(options, session));
    all.push_back(std::move(written));
  } else {
    for (const std::string& trace : options.files) {
      TRY_ASSIGN(Written written, summarise_one(options, trace, session));
      all.push_back(std::move(written));
    }
  }
  tell(options, all, io);
  return 0;
}

}  // namespace
}  // namespace command_summarise

constinit const Command summarise_command = make_command<command_summarise::Options, command_summarise::describe, command_summarise::act>(
    "summarise", "Summarise the trace of a rank for an analysis of thousands", "Measure");

}  // namespace frx::cli
