// frx compare: which of two is better, and can one tell?

#include <array>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/implementation_comparison.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_compare {
namespace {

struct Options {
  Given given;
  std::vector<std::string> sides;
  bool json = false;
  ComparisonOptions comparison;
  ImplementationOptions code;
  report::AnalysisOptions analysis;

  bool has_profiles() const { return !code.first_ncu.empty() || !code.second_ncu.empty(); }
  bool open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Compares two implementations (CUDA source or PTX) by what is found in them, by registers and instructions of the PTX, and by "
      "profiles; two training runs (traces of the PyTorch profiler, run bundles) by the times of their steps; or two Nsight Compute "
      "profiles by the times of their kernels.");
  syntax.arguments(
      "A B", options.sides,
      "two CUDA sources or PTX files, two traces (.json, .json.gz) or run bundles (folder, .zip), or two Nsight Compute profiles");
  syntax.option("--label-a", "TEXT", options.comparison.first_label, "what to call the first");
  syntax.option("--label-b", "TEXT", options.comparison.second_label, "what to call the second");
  syntax.flag("--with-ptx", options.code.with_ptx, "CUDA source: compile both (nvcc, or else clang) and compare the PTX, too");
  describe_tier(syntax, options.analysis);
  syntax.flag("--with-ncu", options.code.with_ncu,
              "CUDA source: also compile both to programs (nvcc) and run them under ncu; both must end within 5 minutes");
  syntax.option("--ncu-a", "FILE", options.code.first_ncu, "code: an Nsight Compute profile of the first");
  syntax.option("--ncu-b", "FILE", options.code.second_ncu, "code: an Nsight Compute profile of the second");
  syntax.option("--kernel-a", "NAME", options.comparison.first_kernel, "profiles: only this kernel of the first, by name or a part of it");
  syntax.option("--kernel-b", "NAME", options.comparison.second_kernel, "profiles: only this kernel of the second");
  syntax.words("--build-flags", "FLAGS", options.code.build_flags, "CUDA source: options for the compiler, such as \"-Iinclude -DN=4\"");
  syntax.option("--baseline", "FILE", options.comparison.baselines,
                "runs, profiles: a further recording of what A records; what these differ by counts as nothing; three or more tell best");
  syntax.option("--ledger", "FILE", options.comparison.ledger,
                "profiles: add to this file what became of the predictions of the advice; without A and B, show what it holds");
  syntax.option("--noise-floor", "PERCENT", options.comparison.noise_floor_pct,
                "runs: differences of step time up to this count as nothing");
  syntax.flag("--fail-on-regression", options.comparison.fail_on_regression, "exit 1 when the second is slower, or worse");
  syntax.choice("--format", "FORMAT", options.comparison.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json");
  describe_open(syntax, options.open);
  describe_analysis(syntax, options.analysis);
  syntax.example("baseline.cu optimized.cu", "from the source alone: what is mended, what is new, what is still unknown");
  syntax.example("baseline.cu optimized.cu --with-ptx", "with registers and spills");
  syntax.example("naive.cu tiled.cu --with-ncu --build-flags -DBUILD_EXECUTABLE", "with kernel times and counters of this GPU");
  syntax.example("naive.cu tiled.cu --ncu-a naive.csv --ncu-b tiled.csv", "and by what was measured");
  syntax.example("report.ncu-rep report.ncu-rep --kernel-a naive --kernel-b tiled", "two kernels of one profile");
  syntax.example("before.json.gz after.json.gz", "did the change make the steps faster?");
  syntax.example("a1.zip b.zip --baseline a2.zip --baseline a3.zip", "is the difference larger than between runs of one program?");
  syntax.example("runs/run-a.zip runs/run-b.zip --fail-on-regression", "for CI");
  syntax.example("before.csv after.csv --ledger predictions.jsonl", "which predictions of the advice came true, and keep the score");
  syntax.example("--ledger predictions.jsonl", "how often the predictions of each card came true so far");
  syntax.exit_code(0, "the comparison was made, whatever it says");
  syntax.exit_code(1, "a file cannot be read; with --fail-on-regression, the second is slower or worse");
  syntax.exit_code(3, "code of the two sides has no evidence of one kind that could be compared");
}

Result<> check(const Options& options) {
  if (const double floor = options.comparison.noise_floor_pct; !(floor >= 0 && floor < 100)) {
    return fail(ErrorKind::usage, "compare: expected a percentage from 0 to below 100 as --noise-floor, found {:g}", floor);
  }
  return {};
}

Result<int> compare_code(const Options& options, Io& io) {
  ImplementationOptions code = options.code;
  code.first = options.sides[0];
  code.second = options.sides[1];
  code.first_label = options.comparison.first_label;
  code.second_label = options.comparison.second_label;
  code.first_kernel = options.comparison.first_kernel;
  code.second_kernel = options.comparison.second_kernel;
  code.format = options.comparison.format;
  code.fail_on_regression = options.comparison.fail_on_regression;
  return compare_implementations(code, options.analysis, io);
}

Result<int> compare_recordings(Options options, bool are_runs, Io& io) {
  options.comparison.first = options.sides[0];
  options.comparison.second = options.sides[1];
  if (are_runs) return compare_runs(options.comparison, options.analysis, io);
  return compare_profiles(options.comparison, options.analysis, io);
}

// What a file is, as far as comparing goes.
enum class Kind : std::uint8_t { code, run, profile };
constexpr std::string_view kind_names[] = {"code", "a training run", "something else"};

Kind kind_of(ingest::Kind kind) {
  if (kind == ingest::Kind::cuda || kind == ingest::Kind::ptx) return Kind::code;
  return kind == ingest::Kind::trace || kind == ingest::Kind::run_bundle ? Kind::run : Kind::profile;
}

// Two of one kind.
struct Sides {
  Kind kind = Kind::profile;
  bool has_source = false;         // CUDA source on one side at least
  bool are_only_profiles = false;  // of --ncu-a and --ncu-b, without the code they are of
};

Result<Sides> sides_of(const Options& options, Io& io) {
  Session session(options.analysis, io);
  Sides sides;
  std::array<Kind, 2> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    TRY_ASSIGN(const analyse::Input input, session.input(options.sides[i]));
    kinds[i] = kind_of(input.kind());
    sides.has_source |= input.kind() == ingest::Kind::cuda;
  }
  sides.kind = kinds[0];
  if (kinds[0] == kinds[1]) return sides;
  const std::size_t odd = kinds[0] == Kind::profile || kinds[1] == Kind::code ? 0 : 1;
  return fail(ErrorKind::usage, "compare: expected two of a kind, found {} and {}", kind_names[static_cast<std::size_t>(kinds[1 - odd])],
              kind_names[static_cast<std::size_t>(kinds[odd])])
      .at(options.sides[odd]);
}

Result<> check_options(const Options& options, const Sides& sides) {
  const bool code = sides.kind == Kind::code, runs = sides.kind == Kind::run, profiles = sides.kind == Kind::profile;
  const std::string_view what = runs ? "training runs" : profiles ? "profiles" : sides.has_source ? "CUDA source" : "PTX";
  const ImplementationOptions& compiling = options.code;
  const bool measured = profiles || options.has_profiles() || compiling.with_ncu, compiled = compiling.with_ptx || compiling.with_ncu;
  TRY(options.given.expect_applicable("compare", what,
                                      {{"--with-ptx", sides.has_source, "CUDA source"},
                                       {"--with-ncu", sides.has_source, "CUDA source"},
                                       {"--pedantic", sides.has_source, "CUDA source"},
                                       {"--build-flags", sides.has_source, "CUDA source"},
                                       {"--ncu-a", code || sides.are_only_profiles, "CUDA source and PTX"},
                                       {"--ncu-b", code || sides.are_only_profiles, "CUDA source and PTX"},
                                       {"--kernel-a", measured, "profiles"},
                                       {"--kernel-b", measured, "profiles"},
                                       {"--baseline", !code, "training runs and profiles"},
                                       {"--ledger", profiles, "profiles"},
                                       {"--noise-floor", runs, "training runs"}}));
  return options.given.expect_applicable("compare", "source that is not compiled",
                                         {{"--build-flags", compiled, "--with-ptx or --with-ncu"}});
}

Result<int> show_predictions(const Options& options, Io& io) {
  const ComparisonOptions& comparison = options.comparison;
  if (comparison.format != "text" && comparison.format != "json")
    return fail(ErrorKind::usage, "compare: --ledger without files is shown as text or json, not as --format {}", comparison.format);
  return show_ledger(comparison.ledger, comparison.format, io);
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  TRY_ASSIGN(options.comparison.format, format_of("compare", given.json, given.comparison.format));
  TRY(open_if_asked("compare", given.open, options.comparison.format, io));
  TRY(check(options));
  // Profiles without the code they are of.
  if (options.sides.empty() && !options.code.first_ncu.empty() && !options.code.second_ncu.empty()) {
    options.sides = {options.code.first_ncu, options.code.second_ncu};
    TRY(check_options(options, {.are_only_profiles = true}));
    return compare_recordings(options, false, io);
  }
  if (options.sides.empty() && !options.comparison.ledger.empty()) return show_predictions(options, io);
  if (options.sides.size() != 2) {
    return fail(ErrorKind::usage, "compare: expected two files, found {}", options.sides.size())
        .hint("frx compare baseline.cu optimized.cu, or frx compare before.json.gz after.json.gz");
  }
  TRY_ASSIGN(const Sides sides, sides_of(options, io));
  TRY(check_options(options, sides));
  return sides.kind == Kind::code ? compare_code(options, io) : compare_recordings(options, sides.kind == Kind::run, io);
}

}  // namespace
}  // namespace command_compare

constinit const Command compare_command = make_recording_command<command_compare::Options, command_compare::describe, command_compare::act>(
    "compare", "Say which of two is better or faster, if one can tell", "Diagnose");

}  // namespace frx::cli
