// Several files of code as one answer.

#include <array>

#include "base/units.h"
#include "compose/answers.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using answer::Answer;
using Files = std::vector<AnalysedCode>;

struct AllCode {
  Files files;
  std::shared_ptr<const report::EvidenceReport> together;
};

answer::Issues issues_of(const Files& files) {
  answer::Issues all;
  for (const AnalysedCode& file : files) {
    all.unread.insert(all.unread.end(), file.unread.begin(), file.unread.end());
    if (!file.error) {
      const answer::Issues own = file.answer.issues();
      all.found.insert(all.found.end(), own.found.begin(), own.found.end());
    }
  }
  return all;
}

std::size_t count_of(const answer::Issues& issues, std::string_view severity) {
  return static_cast<std::size_t>(std::ranges::count(issues.found, severity, &answer::Issue::severity));
}

std::size_t count_of(const Files& files) {
  std::size_t count = 0;
  for (const AnalysedCode& file : files) count += file.paths.size();
  return count;
}

Document page_of(const AllCode& code, answer::Detail detail) {
  const Files& files = code.files;
  Document page;
  for (const AnalysedCode& file : files) {
    if (!file.error) page.append(file.answer.document(detail));
  }
  const answer::Issues issues = issues_of(files);
  page.section("All files");
  page.paragraph(fmt::format("{}: {} high, {} medium, {} low{}", count_text(count_of(files), "file"), count_of(issues, "high"),
                             count_of(issues, "medium"), count_of(issues, "low"),
                             issues.unread.empty() ? "" : fmt::format("; {} not read", count_text(issues.unread.size(), "file"))));
  constexpr std::size_t unread_shown = 20;
  for (const answer::Unread& file : std::span(issues.unread).first(std::min(unread_shown, issues.unread.size())))
    page.hanging("- ", fmt::format("not read: {}: {}", printable(file.path), printable(file.message)));
  if (issues.unread.size() > unread_shown) page.paragraph(fmt::format("and {} more; --json has all", issues.unread.size() - unread_shown));
  if (code.together) page.append(document_of(*code.together));
  return page;
}

void put_all(JsonObject& out, const AllCode& code) {
  const Files& files = code.files;
  const answer::Issues issues = issues_of(files);
  out.add("schema", "code_analysis_v1", "file_count", count_of(files), "failed_count", issues.unread.size());
  out.object("findings_by_severity", [&](JsonObject& inner) {
    for (const std::string_view severity : {"high", "medium", "low"}) inner.add(severity, count_of(issues, severity));
  });
  out.list("files", files, [](JsonObject& inner, const AnalysedCode& file) {
    inner.add("filename", file.path, "filenames", file.paths, "mode", file.answer.mode, "error", file.error);
    inner.list("unread", file.unread,
               [](JsonObject& one, const answer::Unread& unread) { one.add("filename", unread.path, "error", unread.message); });
    inner.object("result", file.error ? nullptr : &file, [](JsonObject& result, const AnalysedCode& read) { read.answer.payload(result); });
  });
  out.object("reconciliation", code.together, put_evidence);
}

}  // namespace

Answer answer_of(Files files, std::shared_ptr<const report::EvidenceReport> together) {
  if (files.size() == 1 && files[0].unread.empty()) return std::move(files[0].answer);
  const auto all = std::make_shared<const AllCode>(AllCode{std::move(files), std::move(together)});
  Answer answer{.what = "code", .mode = "code"};
  answer.document = [all](answer::Detail detail) { return page_of(*all, detail); };
  answer.payload = [all](JsonObject& out) { put_all(out, *all); };
  answer.issues = [all] { return issues_of(all->files); };
  answer.kept = {all};
  return answer;
}

}  // namespace frx::compose
