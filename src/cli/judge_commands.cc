#include "cli/judge_commands.h"

#include "base/byte_size.h"
#include "base/numbers.h"
#include "cli/print_answer.h"

namespace frx::cli {

void describe_judge(Syntax& syntax, JudgeOptions& options) {
  syntax.option("--ncu", "REPORT", options.ncu,
                "report (.ncu-rep) or export (CSV, text, JSON of counters) of the kernel; needed, - is standard input");
  syntax.option("--kernel", "NAME", options.kernel, "the kernel: its name, or a regular expression that one of them fits");
  syntax.choice(
      "--pick", "HOW", options.pick, {"max-time", "max-cycles", "first", "last"},
      "of several kernels: the one with the largest share of the time (default), the most cycles, the first or the last of the file");
  syntax.choice("--contract", "CONTRACT", options.contract, {"dual", "list"},
                "dual: exactly two bottlenecks of different categories, of four; list: any number of them, of three categories");
  syntax.option("--bottlenecks", "N", options.bottlenecks, "of the list contract: how many bottlenecks [default: 1]");
  syntax.option("--causes", "N", options.causes, "of the list contract: causes of each bottleneck [default: 2]");
  syntax.option("--fixes", "N", options.fixes, "of the list contract: fixes of each cause [default: 1]");
  syntax.option(
      "--least-bytes", "SIZE", options.least_bytes,
      "what one launch has to move to and from DRAM, its inputs and outputs, such as 128M: says how much of the traffic is needed");
  syntax.option("--least-flops", "N", options.least_operations, "the operations that one launch has to do, such as 1.37e11");
  describe_analysis(syntax, options.analysis);
}

Result<report::JudgeDemands> demands_of(std::string_view command, const JudgeOptions& options) {
  constexpr std::uint64_t most = 16;
  report::JudgeDemands demands;
  const bool is_list = options.contract == "list";
  TRY(options.given.expect_applicable(
      command, "--contract dual",
      {{"--bottlenecks", is_list, "--contract list"}, {"--causes", is_list, "--contract list"}, {"--fixes", is_list, "--contract list"}}));
  if (!is_list) return demands;
  demands.contract = report::JudgeContract::list;
  demands.bottlenecks = 1;
  const auto take = [&](const Syntax::Number& given, std::string_view name, std::size_t& into) -> Result<> {
    if (!given) return {};
    if (*given == 0 || *given > most)
      return fail(ErrorKind::usage, "{}: expected a number from 1 to {} as {}, found {}", command, most, name, *given);
    into = *given;
    return {};
  };
  TRY(take(options.bottlenecks, "--bottlenecks", demands.bottlenecks));
  TRY(take(options.causes, "--causes", demands.causes));
  TRY(take(options.fixes, "--fixes", demands.fixes));
  return demands;
}

Result<analyse::JudgedProfile> judged_profile(const JudgeOptions& options, Session& session) {
  if (options.ncu.empty())
    return fail(ErrorKind::usage, "judge: no profile given").hint("--ncu report.csv; frx profile --out report.csv makes one");
  report::KernelChoice choice;
  choice.name = options.kernel;
  using Pick = report::KernelChoice::Pick;
  choice.pick = options.pick == "last"         ? Pick::last
                : options.pick == "first"      ? Pick::first
                : options.pick == "max-cycles" ? Pick::max_cycles
                                               : Pick::max_time;
  TRY_ASSIGN(analyse::Input input, session.input(options.ncu));
  Result<analyse::JudgedProfile> judged = analyse::judged_profile(std::move(input), choice, session.context());
  session.end_progress();
  if (!judged) return judged;
  if (!options.least_bytes.empty()) {
    const auto bytes = parse_byte_size(options.least_bytes);
    if (!bytes) return fail(ErrorKind::usage, "judge: expected a size as --least-bytes, found '{}'", printable(options.least_bytes));
    judged->subject.least_bytes = static_cast<double>(*bytes);
  }
  if (!options.least_operations.empty()) {
    const std::optional<double> operations = parse_number(options.least_operations, NumberStyle::point);
    if (!operations || !(*operations > 0))
      return fail(ErrorKind::usage, "judge: expected a number above 0 as --least-flops, found '{}'", printable(options.least_operations));
    judged->subject.least_operations = operations;
  }
  return judged;
}

std::vector<std::string> notes_of(const analyse::JudgedProfile& judged) {
  constexpr std::size_t most = 5;
  const std::vector<std::string>& notes = judged.subject.report->notes;
  return {notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(std::min(most, notes.size()))};
}

Result<std::string> text_of_file(const std::string& path) {
  constexpr std::uint64_t largest_text = std::uint64_t{4} << 20;
  if (path.empty()) return std::string();
  return ingest::Source::at(path).text(largest_text);
}

}  // namespace frx::cli
