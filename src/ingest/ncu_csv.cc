// Nsight Compute CSV, in every shape its versions 2019 to 2026 write:
//
//   tall    one row per launch and metric: `ncu --csv` (details page) and `--csv --metrics ...`
//     "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"
//     "0",...,"axpy(float *)",...,"GPU Speed Of Light Throughput","Duration","us","1,234.56"
//   wide    one row per launch: `ncu --csv --page raw`, with a row of units under the header
//     "ID",...,"Kernel Name",...,"dram__bytes.sum","gpu__time_duration.sum"
//     "","",...,"","Mbyte","us"
//   summary `--print-summary per-kernel`: tall with Invocations, Minimum, Maximum, Average
//
// Irregularities in real files: metric rows shorter than their header; program output between rows; one unit per row; thousands and decimal
// signs of the user's locale; several runs in one file.

#include <array>
#include <memory>
#include <mutex>

#include "base/in_order.h"
#include "base/text.h"
#include "ingest/csv.h"
#include "ingest/format.h"
#include "ingest/line_pieces.h"
#include "ingest/ncu_columns.h"
#include "ingest/ncu_csv.h"
#include "ingest/ncu_table.h"

namespace frx::ingest {
namespace {

// With smaller pieces cores wait for each other more often; larger ones leave the caches.
constexpr std::size_t usual_piece = std::size_t{1} << 20;
constexpr std::size_t slots = 12;

// Pieces of the file are read by the layout of the table on all cores, and taken by the table in the order of the file.
class NcuPieces : public Pieces {
 public:
  NcuPieces(Input& input, std::string_view first, model::Session& session, std::size_t piece_size)
      : input_(input), table_(input.metrics, session), pieces_(input.lines.rest(), piece_size) {
    table_.begin(first, input.lines.line_number());
  }

  Result<> whole_file() {
    const bool is_small = input_.lines.rest().at_end;
    take_in_order(is_small ? 2 : slots, *this);
    TRY(std::move(state_));
    input_.lines.count_rest(table_.lines() - input_.lines.line_number());
    return table_.finish();
  }

  bool read(std::size_t slot) override { return pieces_.next(held_[slot].piece); }

  void work(std::size_t slot) override {
    Held& held = held_[slot];
    {
      const std::lock_guard lock(publishing_);
      held.layout = layout_;
    }
    held.rows.clear();
    if (!held.layout || held.piece.failure) return;
    const bool is_tall = held.layout->columns.is_tall();
    (is_tall ? read_tall_rows : read_wide_rows)(*held.layout, held.piece.text(), held.rows);
  }

  bool take(std::size_t slot) override {
    Held& held = held_[slot];
    if (held.piece.failure) {
      state_ = Failure{std::move(*held.piece.failure)};
      return false;
    }
    state_ = table_.take_piece(held.piece.text(), held.piece.is_last, held.layout.get(), held.rows);
    if (input_.progress) input_.progress(held.piece.bytes_read);
    if (std::shared_ptr<const NcuLayout> news = table_.news()) {
      const std::lock_guard lock(publishing_);
      layout_ = std::move(news);
    }
    return state_.has_value();
  }

 private:
  struct Held {
    LinePiece piece;
    std::shared_ptr<const NcuLayout> layout;  // by which the rows were read; null: they were not
    NcuRows rows;
  };

  Input& input_;
  NcuTable table_;
  LinePieces pieces_;
  std::array<Held, slots> held_;
  Result<> state_;
  std::mutex publishing_;  // of layout_
  std::shared_ptr<const NcuLayout> layout_;
};

bool ncu_begins(std::string_view line, const knowledge::MetricCatalogue& metrics) {
  if (line.size() < 8 || line.find(',') == line.npos || line[0] == '{' || line[0] == '[') return false;  // JSON is no table
  // Cheap tests first: this is called for every line before the table.
  if (!contains_ignoring_case(line, "kernel") && !contains_ignoring_case(line, "name") && line.find("__") == line.npos) return false;
  std::vector<std::string_view> fields;
  return split_csv(line, fields) == Split::ok && fields.size() >= 2 && read_ncu_header(fields, metrics).has_value();
}

Result<> read_ncu(Input& input, std::string_view first, model::Session& into) { return read_ncu_csv(input, first, into, usual_piece); }

}  // namespace

Result<> read_ncu_csv(Input& input, std::string_view first, model::Session& into, std::size_t piece_size) {
  return NcuPieces(input, first, into, piece_size).whole_file();
}

constinit const Format ncu_csv_format = {
    .id = "ncu-csv",
    .title = "Nsight Compute CSV",
    .begins = ncu_begins,
    .read_lines = read_ncu,
};

}  // namespace frx::ingest
