// Prints docs/validation/judge.md: how frx judge run agrees with the experts, and what the check says of replies of a language model.
//
//   frx_judge_validation CORPUS_DIR

#include <cstdio>

#include "base/text.h"
#include "corpus/judge_labels.h"
#include "corpus/ncu_labels.h"

namespace {

using namespace frx;

std::string joined(const std::vector<std::string>& words) { return corpus::cell(words.empty() ? "none" : join(words, ", ")); }

void print_rows(const std::vector<corpus::JudgedRow>& rows) {
  int sure = 0, first = 0, two = 0, both = 0, alone = 0, likely = 0, likely_first = 0;
  std::string table;
  for (const corpus::JudgedRow& row : rows) {
    (row.sure ? sure : likely) += 1;
    (row.sure ? first : likely_first) += row.first_fits ? 1 : 0;
    if (!row.sure || !row.names_two) continue;
    ++two;
    both += row.both_fit ? 1 : 0;
    alone += row.categories.size() < 2 ? 1 : 0;
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.file, corpus::cell(shorten(row.kernel, 24)), joined(row.labels),
                         joined(row.categories), row.both_fit ? "yes" : "no");
  }
  std::printf(
      "The first category is that of an accepted label in %d of %d sure rows and %d of %d likely ones. Of the sure rows, %d name two "
      "bottlenecks; both are\n"
      "named in %d of them, which is %.0f %%.",
      first, sure, likely_first, likely, two, both, 100.0 * both / two);
  if (alone > 0) {
    std::printf(
        " In %d more the file has counters for one side alone, and the answer says so instead of making up a second: of\n"
        "the files that can tell, both are named in %.0f %%.",
        alone, 100.0 * both / (two - alone));
  }
  std::printf("\n\n");
  std::printf("| file | kernel | labels of the experts | answer | both |\n|---|---|---|---|---|\n%s\n", table.c_str());
}

void print_replies(const std::vector<corpus::JudgedReply>& replies) {
  int categories = 0, valid = 0, ours = 0;
  std::size_t citations = 0, wrong = 0;
  std::string table;
  for (const corpus::JudgedReply& one : replies) {
    categories += one.category_fits ? 1 : 0;
    valid += one.is_valid ? 1 : 0;
    ours += one.ours_fit ? 1 : 0;
    citations += one.citations;
    wrong += one.wrong;
    table += fmt::format("| `{}` | {} | {} | {} / {} | {} | {} | {} |\n", one.file, one.expected, one.said, one.citations - one.wrong,
                         one.citations, joined(one.errors), joined(one.ours), one.ours_fit ? "yes" : "no");
  }
  std::printf(
      "The category of the reply is that of the experts in %d of %zu; %zu of %zu quoted values are those of the profile, and %d replies "
      "hold as a whole. The two\n"
      "bottlenecks of `frx judge run` on the same counters fit in %d of %zu.\n\n",
      categories, replies.size(), citations - wrong, citations, valid, ours, replies.size());
  std::printf("| reply | experts | said | values right | what does not hold | frx judge run | fits |\n|---|---|---|---|---|---|---|\n%s",
              table.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: frx_judge_validation CORPUS_DIR\n"), 2;
  const std::filesystem::path folder(argv[1]);
  std::printf(
      "# Judging kernels\n\nWritten by `./dev corpus --write`. What a label of the experts is in the contract of two bottlenecks stands "
      "in\n"
      "`tests/corpus/judge_labels.h`. The experts' labels were seen while the rules were made, so the agreement with them proves little; "
      "the\n"
      "seeded errors below do not come from them.\n\n## Answers of `frx judge run`\n\n");
  print_rows(corpus::judge_labels(folder));
  std::printf(
      "## Replies of a language model\n\nKernelAgent asked a model for one bottleneck of three categories, for 24 versions of three "
      "kernels. The replies are checked as\n"
      "`frx judge check --contract list` does it.\n\n");
  print_replies(corpus::judge_replies(folder));
  const corpus::ChangedNumbers changed = corpus::change_numbers_of_replies(folder);
  std::printf(
      "\nOf these replies each number that is a value of the profile was changed by about a third, one at a time. The check finds %d of %d "
      "of them "
      "beside\nthe name of a counter, and %d of %d in sentences; most of the others stand beside no counter (\"compute (16.8%%) and memory "
      "(25.6%%) "
      "SOL\").\n",
      changed.found_in_evidence, changed.in_evidence, changed.found_in_prose, changed.in_prose);
  std::printf(
      "\n## Seeded errors\n\n`tests/properties/judge_errors_test.cc` makes 10,000 right answers about kernels with known counters and "
      "10,000 with one error each: a wrong\n"
      "value, a wrong unit, an invented counter, an impossible block, one category twice, a category against the evidence. The test fails "
      "when\n"
      "more than one right answer in a thousand is refused, or less than 99 %% of the errors are found.\n");
  return 0;
}
