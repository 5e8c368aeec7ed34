// What frx kernel cublas says: the lines that cgp documents, and the result cublas_profile_v1.

#include "base/text.h"
#include "base/units.h"
#include "compose/recording_tables.h"
#include "compose/recordings.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::CublasProfile;
using report::GemmRow;

std::string shape_text(const CublasProfile& profile) {
  return fmt::format("{}x{}x{}", profile.shape[0], profile.shape[1], profile.shape[2]);
}

std::string or_not(std::optional<double> value, std::string_view unit) { return value ? fmt::format("{:.1f}{}", *value, unit) : "n/a"; }

std::string rate_text(const CublasProfile& profile, const GemmRow& row) {
  const std::optional<double> efficiency = profile.efficiency_pct(row);
  return fmt::format("{} ({})", or_not(profile.tflops(row), " TFLOP/s"),
                     efficiency ? fmt::format("{:.1f}% eff", *efficiency) : "efficiency n/a");
}

void add_facts(Document& page, const CublasProfile& profile) {
  const std::string driver = profile.gpu.driver.empty() ? "?" : printable(profile.gpu.driver);
  page.paragraph(
      as_name(fmt::format("GPU: {} (Driver {})", profile.gpu.name.empty() ? "Unknown GPU" : printable(profile.gpu.name), driver)));
  page.paragraph(fmt::format("Operation: {}", profile.operation->name));
  page.paragraph(fmt::format("Problem size: {}", shape_text(profile)));
  page.paragraph(fmt::format("FLOPs: {}", in_scientific(profile.flops())));
  page.paragraph(fmt::format("Precision: {} (peak: {})", profile.operation->label, or_not(profile.peak.tflops, " TFLOP/s")));
  page.hanging(profile.peak.tflops ? "Peak from: " : "No peak: ", printable(profile.peak.source));
  if (!profile.program.empty()) page.command("Binary: " + profile.program, 2);
  if (!profile.recording.empty()) page.command("Recording: " + profile.recording, 2);
}

void add_row(Document& page, const CublasProfile& profile, const GemmRow& row) {
  constexpr std::size_t cells = 50;
  page.add(answer::Verbatim{fmt::format("    {} avg={:.1f}us {}", pad_right(report::fitted_kernel_name(row.kernel, cells), cells),
                                        row.average_ns() / 1e3, rate_text(profile, row))});
  if (row.helper_launches == 0) return;
  std::vector<std::string> names;
  for (const std::string& helper : row.helpers) names.push_back(report::fitted_kernel_name(helper, cells));
  page.paragraph(as_name(fmt::format("with {} of {}, {} us of each product", count_text(row.helper_launches, "launch"), join(names, ", "),
                                     fmt::format("{:.1f}", row.helper_ns / static_cast<double>(row.products) / 1e3))),
                 6);
}

void add_products(Document& page, const CublasProfile& profile) {
  if (profile.times->rows.empty()) return page.paragraph("No cuBLAS kernels found in trace.");
  page.blank();
  page.paragraph("cuBLAS Kernels:");
  for (const GemmRow& row : profile.times->rows) add_row(page, profile, row);
  const GemmRow& all = profile.times->all;
  page.paragraph(
      fmt::format("All: {}, avg={:.1f}us {}", count_text(all.products, "product"), all.average_ns() / 1e3, rate_text(profile, all)));
  page.paragraph(fmt::format("Each product is taken to be {}.", shape_text(profile)));
}

void add_hint(Document& page, const CublasProfile& profile) {
  if (const auto estimate = profile.estimate()) {
    page.blank();
    page.paragraph("Estimated (no binary found):");
    page.paragraph(fmt::format("Time: ~{:.1f} us", estimate->time_us), 4);
    page.paragraph(fmt::format("Throughput: ~{:.1f} TFLOP/s ({:.1f}% of peak)", estimate->tflops, estimate->of_peak_pct), 4);
    page.paragraph("Computed, not measured: " + estimate->basis + ". A real product takes longer.", 4);
  }
  page.blank();
  page.paragraph("To profile real cuBLAS:");
  const std::string size = profile.is_square ? fmt::format("--size {}", profile.shape[0])
                                             : fmt::format("--shape {},{},{}", profile.shape[0], profile.shape[1], profile.shape[2]);
  page.command(fmt::format("frx kernel cublas --op {} {} --bin ./your_cublas_bench", profile.operation->name, size));
  page.command("frx kernel binary ./your_cublas_bench --kernel-filter gemm");
}

Document page_of(const CublasProfile& profile) {
  Document page;
  const std::string size = profile.is_square ? fmt::format("{0}x{0}", profile.shape[0]) : shape_text(profile);
  add_recording_heading(page, fmt::format("CGP cuBLAS Profile: {} ({})", profile.operation->name, size));
  add_facts(page, profile);
  if (profile.times) {
    add_products(page, profile);
  } else {
    add_hint(page, profile);
  }
  add_notes(page, profile.notes);
  page.blank();
  return page;
}

void put_row(JsonObject& out, const CublasProfile& profile, const GemmRow& row) {
  out.add("kernel", answer::unless_empty(row.kernel), "helpers", row.helpers, "products", row.products, "helper_launches",
          row.helper_launches);
  out.add("total_us", row.total_ns / 1e3, "helper_us", row.helper_ns / 1e3, "avg_us", microseconds(row.average_ns()), "min_us",
          microseconds(row.shortest_ns), "max_us", microseconds(row.longest_ns), "tflops", profile.tflops(row), "efficiency_pct",
          profile.efficiency_pct(row));
}

void put_profile_of_cublas(JsonObject& out, const CublasProfile& profile) {
  const std::optional<CublasProfile::Estimate> estimate = profile.estimate();
  out.add("schema", "cublas_profile_v1", "op", profile.operation->name, "m", profile.shape[0], "n", profile.shape[1], "k", profile.shape[2],
          "flops", answer::rounded(profile.flops(), 0), "precision", profile.operation->precision, "precision_label",
          profile.operation->label);
  out.add("gpu", answer::unless_empty(profile.gpu.name), "gpu_from", answer::unless_empty(profile.gpu.origin), "driver",
          answer::unless_empty(profile.gpu.driver), "peak_tflops", profile.peak.tflops, "peak_source", profile.peak.source, "program",
          answer::unless_empty(profile.program), "recording", answer::unless_empty(profile.recording), "exit_code", profile.exit_code);
  if (profile.times) {
    out.list("kernels", profile.times->rows, [&](JsonObject& one, const GemmRow& row) { put_row(one, profile, row); });
    const std::optional<GemmRow> all = answer::when(profile.times->all.products > 0, profile.times->all);
    out.object("all", all, [&](JsonObject& one, const GemmRow& row) { put_row(one, profile, row); });
    out.add("other_kernels", profile.times->other_kernels);
  } else {
    out.add("kernels", nullptr, "all", nullptr, "other_kernels", nullptr);
  }
  out.add("estimated", estimate.has_value());
  out.object("estimate", estimate, [](JsonObject& one, const CublasProfile::Estimate& value) {
    one.add("time_us", value.time_us, "tflops", value.tflops, "of_peak_pct", value.of_peak_pct, "basis", value.basis);
  });
  out.add("notes", profile.notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const CublasProfile> profile) {
  answer::Answer answer{.what = "a profile of cuBLAS", .mode = "cublas_profile"};
  answer.document = [profile](answer::Detail) { return page_of(*profile); };
  answer.payload = [profile](JsonObject& out) { put_profile_of_cublas(out, *profile); };
  answer.kept = {std::move(profile)};
  return answer;
}

}  // namespace frx::compose
