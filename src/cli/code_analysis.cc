#include "cli/code_analysis.h"

#include "analyse/answer.h"
#include "base/units.h"
#include "cli/print_answer.h"
#include "compose/gate/gate.h"

namespace frx::cli {

using analyse::CodeReport;

analyse::CompilerOptions CodeOptions::asked_compilers() const {
  analyse::CompilerOptions asked = compilers;
  asked.with_ptx = with_ptx == "yes" ? analyse::PtxUse::yes : with_ptx == "no" ? analyse::PtxUse::no : analyse::PtxUse::automatic;
  return asked;
}

void describe_code(Syntax& syntax, CodeOptions& options) {
  syntax.choice("--format", "FORMAT", options.format, answer_formats(), "how to print the answer; sarif, github, gitlab, junit: findings");
  syntax.option("-I,--include", "DIR", options.build.include_folders, "CUDA source: a folder with its headers; may be given again");
  syntax.option("-D,--define", "NAME=VALUE", options.build.definitions, "CUDA source: a macro of the build; may be given again");
  syntax.option("--compile-commands", "FILE", options.build.compile_commands,
                "CUDA source: take the folders of headers from here; default: found beside or above");
  syntax.flag_or_choice(
      "--with-ptx", "WHEN", options.with_ptx, "yes", {"auto", "yes", "no"},
      "CUDA source: compile it (nvcc, or else clang) and confirm or withdraw what was found; auto: up to 4 files that are "
      "named, for 10 s in all");
  syntax.words("--build-flags", "FLAGS", options.compilers.build_flags, "CUDA source: options for the compiler, such as '-Iinclude -DN=4'");
  syntax.flag("--with-ptxas", options.compilers.with_ptxas, "PTX: run ptxas and use its registers and spills");
  syntax.option("--ptxas-log", "FILE", options.compilers.ptxas_log, "PTX: the same from what 'nvcc -Xptxas -v' printed");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"},
                "code, profiles, runs: exit with 1 when a finding is as grave as this; beside a baseline, a new one");
  syntax.flag("--allow-unreadable", options.allow_unreadable,
              "code: files that cannot be read are named, and are no reason to exit with 1");
}

void describe_tier(Syntax& syntax, report::AnalysisOptions& options) {
  syntax.flag("--pedantic", options.pedantic, "CUDA source: also style, and guesses that the source alone does not settle");
}

Result<answer::Answer> answer_beside_baseline(const analyse::Analysis& analysis, const CodeOptions& options, const std::string& scope) {
  answer::Answer answer = analyse::answer_of(analysis, scope);
  analyse::add_rule_pages(answer, options.data_directory);
  TRY_ASSIGN(answer, gated(std::move(answer), files_of(analysis), options.gate));
  return compose::failing_from(std::move(answer), options.fail_on);
}

Result<> expect_none_reaching(const answer::Answer& answer, const CodeOptions& options) {
  if (options.fail_on.empty()) return {};
  const std::size_t reached = compose::count_reaching(answer.issues(), options.fail_on);
  const std::string_view noun = options.gate.baseline.empty() ? "finding" : "new finding";
  if (reached == 0) return {};
  return fail(ErrorKind::negative, "{} of severity {} or above", count_text(reached, noun), options.fail_on);
}

Result<int> judge_code(const CodeReport& report, const answer::Answer& answer, const CodeOptions& options) {
  TRY(expect_none_reaching(answer, options));
  const std::size_t unread = report.unread(), files = report.files();
  if (unread > 0 && !(options.allow_unreadable && unread < files)) {
    return fail(ErrorKind::unreadable, "{} of {} could not be analysed", unread, count_text(files, "file"))
        .hint(unread < files ? "with --allow-unreadable the files that can be read decide" : "");
  }
  // A kernel that was not followed to its end has no findings, which proves nothing.
  const std::size_t unfollowed = options.fail_on.empty() || options.allow_unreadable ? 0 : report.unfollowed();
  if (unfollowed == 0) return 0;
  return fail(ErrorKind::unreadable, "{} too long or too deeply nested to follow to the end", count_text(unfollowed, "kernel"))
      .hint("with --allow-unreadable the kernels that can be followed decide");
}

Result<int> print_code(const analyse::Analysis& analysis, const CodeOptions& options, Io& io) {
  const CodeReport& report = *analysis.as<CodeReport>();
  if (const Error* error = report.only_error()) return Failure{*error};
  TRY_ASSIGN(const answer::Answer answer, answer_beside_baseline(analysis, options));
  TRY(print_answer(io, answer, options.format));
  TRY(write_baseline_if_asked(answer, options.gate, options.allow_unreadable, io));
  return judge_code(report, answer, options);
}

}  // namespace frx::cli
