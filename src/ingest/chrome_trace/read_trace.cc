#include "ingest/chrome_trace/read_trace.h"

#include "base/text.h"
#include "base/units.h"
#include "ingest/chrome_trace/event_blocks.h"
#include "ingest/chrome_trace/header_facts.h"
#include "ingest/chrome_trace/timeline_builder.h"
#include "ingest/chrome_trace/window.h"

namespace frx::ingest::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t most_rows = 1 << 12;

class Reader {
 public:
  Reader(std::string name, ByteSource& source, const TraceOptions& options)
      : progress_(options.progress),
        block_size_(options.block_size),
        window_(source, JsonCursor::padding),
        builder_(timeline_, {options.all_arguments, options.kernel_shapes}) {
    timeline_.source = std::move(name);
    rows_.kept = builder_.kept();
  }

  Result<Timeline> read();

 private:
  // Runs `parse` on the window, with more of the file whenever it runs dry. False at the end of the file.
  template <typename Parse>
  Result<bool> with_enough(Parse parse);
  Result<> root();
  Result<> object_members();
  Result<> events();
  Result<bool> next_event(bool& over);
  Result<bool> skip_damage();
  void flush();
  void note_cut();
  Result<> after_root();
  Result<> check() const;
  void note(std::string text) { timeline_.notes.push_back({0, std::move(text)}); }
  Failure malformed(std::string_view expected) const;

  const std::function<void(std::uint64_t)> progress_;
  const std::size_t block_size_;
  Window window_;
  Timeline timeline_;
  TimelineBuilder builder_;
  NumberedConverter converter_;  // for events that are read one by one
  EventRows rows_;               // rows of these events, not yet in the timeline
  std::uint64_t next_try_ = 0;   // position from which reading whole blocks may work again
  std::uint64_t no_objects_ = 0, damaged_ = 0, first_damage_ = 0;
  bool has_events_ = false, cut_ = false;
  bool is_of_operators_ = false;  // a profile.json or manifest.json
  std::string failure_text_;      // the error of the source when it failed
};

Failure Reader::malformed(std::string_view expected) const {
  std::string found(window_.begin(), std::min<std::size_t>(24, static_cast<std::size_t>(window_.end() - window_.begin())));
  return fail(ErrorKind::malformed, "expected {}, found {}", expected, found.empty() ? "the end" : "'" + printable(found) + "'")
      .at(fmt::format("{}: byte {}", timeline_.source, window_.offset()));
}

template <typename Parse>
Result<bool> Reader::with_enough(Parse parse) {
  for (;;) {
    JsonCursor cursor(window_.begin(), window_.end());
    const bool read = parse(cursor);
    if (read) {
      window_.forget(cursor.at());
      return true;
    }
    if (cursor.state() == JsonCursor::State::wrong) return malformed("JSON");
    Result<bool> more = window_.more();
    if (!more && !has_events_) return Failure{more.error()};
    if (!more) failure_text_ = more.error().message;
    if (!more || !*more) return false;
  }
}

Result<Timeline> Reader::read() {
  TRY(root());
  builder_.finish();
  if (no_objects_ > 0) note(fmt::format("{} that are no events left out", count_text(no_objects_, "value")));
  if (damaged_ > 0)
    note(fmt::format("{} in the text between events, the first at byte {}; what stood there is left out",
                     count_text(damaged_, "damaged place"), first_damage_));
  TRY(check());
  return std::move(timeline_);
}

Result<> Reader::root() {
  char first = 0;
  const auto begin = [&](JsonCursor& cursor) {
    first = cursor.peek();
    return cursor.good();
  };
  TRY(window_.more());
  if (std::string_view(window_.begin(), window_.end()).starts_with(byte_order_mark))
    window_.forget(window_.begin() + byte_order_mark.size());
  TRY_ASSIGN(const bool any, with_enough(begin));
  if (!any) return fail(ErrorKind::malformed, "the file is empty").at(timeline_.source);
  if (first == '[') {
    TRY(events());
  } else if (first == '{') {
    TRY(object_members());
  } else {
    return malformed("a trace in JSON");
  }
  if (cut_) return {};
  return after_root();
}

Result<> Reader::object_members() {
  window_.forget(window_.begin() + 1);
  for (;;) {
    char next = 0;
    std::string key;
    const auto read_key = [&](JsonCursor& cursor) {
      for (next = cursor.peek(); next == ','; next = cursor.peek()) cursor.take(',');
      if (!cursor.good() || next == '}') return cursor.good() && cursor.take('}');
      Token token;
      if (!cursor.value(token) || !cursor.take(':')) return false;
      key = token.raw;
      cursor.peek();
      return cursor.good();
    };
    TRY_ASSIGN(const bool read, with_enough(read_key));
    if (!read) {
      cut_ = true;
      if (has_events_) note("the file ends before its closing bracket");
      return has_events_ ? Result<>() : malformed("the end of the object");
    }
    if (next == '}') return {};
    is_of_operators_ = is_of_operators_ || key == "capture_metadata";
    if (key == "traceEvents" && *window_.begin() == '[') {
      TRY(events());
      if (cut_) return {};
      continue;
    }
    const auto take = [&](JsonCursor& cursor) {
      Token token;
      if (!cursor.value(token)) return false;
      if (is_header_fact(key)) take_header_fact(key, token.raw, timeline_.facts);
      return true;
    };
    TRY_ASSIGN(const bool taken, with_enough(take));
    if (!taken) {
      cut_ = true;
      if (!has_events_) return malformed("a whole value");
      timeline_.cut_short = true;
      note(fmt::format("the file ends inside '{}'", printable(key)));
      return {};
    }
  }
}

void Reader::flush() {
  builder_.append(rows_, converter_);
  rows_.clear();
  converter_.forget_many();
  if (progress_) progress_(window_.offset());
}

void Reader::note_cut() {
  const std::string why = failure_text_.empty() ? "the file ends" : failure_text_ + ", so it ends";
  timeline_.cut_short = true;
  note(fmt::format("{} inside the list of events, behind {} ({} bytes in); what came before is used", why,
                   count_text(builder_.seen(), "event"), window_.offset()));
}

// False at the end of the file; sets `over` at the end of the list.
Result<bool> Reader::next_event(bool& over) {
  const auto read = [&](JsonCursor& cursor) {
    char next = cursor.peek();
    while (next == ',') {
      cursor.take(',');
      next = cursor.peek();
    }
    over = next == ']';
    if (over || !cursor.good()) return cursor.good() && cursor.take(']');
    EventFields fields;
    bool is_event = false;
    if (!read_event(cursor, fields, is_event)) return false;
    // The fields are views of the window, which moves on when this returns true.
    is_event ? converter_.converter.add(fields, rows_) : void(++no_objects_);
    return true;
  };
  return with_enough(read);
}

Result<> Reader::events() {
  has_events_ = true;
  window_.forget(window_.begin() + 1);
  for (bool over = false; !over;) {
    if (block_size_ > 0 && window_.offset() >= next_try_) {
      flush();
      if (!read_whole_events(window_, builder_, block_size_, progress_)) next_try_ = window_.offset() + blocks_between_tries * block_size_;
    }
    Result<bool> read = next_event(over);
    if (!read) read = skip_damage();
    if (!read) return Failure{read.error()};
    if (rows_.size() >= most_rows || over || !*read) flush();
    if (*read) continue;
    cut_ = true;
    note_cut();
    return {};
  }
  return {};
}

// Moves to the next place that looks like the beginning of an event.
Result<bool> Reader::skip_damage() {
  if (damaged_++ == 0) first_damage_ = window_.offset();
  for (bool first = true;; first = false) {
    const std::string_view rest(window_.begin(), static_cast<std::size_t>(window_.end() - window_.begin()));
    const std::size_t own = first ? rest.find_first_not_of(" \r\n\t,") : rest.npos;
    for (std::size_t at = rest.find("\"ph\""); at != rest.npos; at = rest.find("\"ph\"", at + 1)) {
      const std::size_t before = at > 0 ? rest.find_last_not_of(" \r\n\t", at - 1) : rest.npos;
      if (before == rest.npos || before == own || rest[before] != '{') continue;
      window_.forget(window_.begin() + before);
      return true;
    }
    const std::size_t keep = std::min<std::size_t>(rest.size(), 64);
    window_.forget(window_.end() - keep);
    Result<bool> more = window_.more();
    if (!more || !*more) return false;
  }
}

Result<> Reader::after_root() {
  char next = 0;
  const auto look = [&](JsonCursor& cursor) {
    next = cursor.peek();
    return cursor.good();
  };
  TRY_ASSIGN(const bool more, with_enough(look));
  if (more) note(fmt::format("more data follows the trace, at byte {}; it is left out", window_.offset()));
  // A checksum and a length stand behind the last byte.
  if (!failure_text_.empty()) note(fmt::format("{} behind the trace: its text is whole, but some of it may be wrong", failure_text_));
  return {};
}

Result<> Reader::check() const {
  if (!has_events_ && is_of_operators_) {
    return fail(ErrorKind::malformed, "expected a trace, found a profile of operators or its manifest")
        .at(timeline_.source)
        .hint("frx operators report FILE reads a profile, frx operators map MANIFEST makes one of a manifest");
  }
  if (!has_events_) {
    return fail(ErrorKind::malformed, "expected a trace with 'traceEvents', found other JSON")
        .at(timeline_.source)
        .hint("export one with torch.profiler: prof.export_chrome_trace(\"trace.json\")");
  }
  if (timeline_.size() == 0) return fail(ErrorKind::malformed, "the trace has no events with a duration").at(timeline_.source);
  for (const EventKind kind : timeline_.kind) {
    if (kind != EventKind::other && kind != EventKind::window && kind != EventKind::overhead) return {};
  }
  return fail(ErrorKind::malformed, "a Chrome trace, but not one of the PyTorch profiler: no operators, calls or kernels in {}",
              count_text(timeline_.size(), "event"))
      .at(timeline_.source);
}

}  // namespace

// An object, or a list of objects: "[7592] app@127.0.0.1" begins a page of Nsight Compute.
bool may_be_trace(std::string_view head) {
  constexpr std::string_view blanks = " \r\n\t";
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  const std::size_t first = head.find_first_not_of(blanks);
  if (first == head.npos || (head[first] != '{' && head[first] != '[')) return false;
  const std::size_t second = head.find_first_not_of(blanks, first + 1);
  if (second == head.npos) return true;  // too long a run of blanks to decide
  return head[first] == '{' ? head[second] == '"' || head[second] == '}' : head[second] == '{' || head[second] == ']';
}

Result<Timeline> read_trace(std::string name, ByteSource& source, const TraceOptions& options) {
  return Reader(std::move(name), source, options).read();
}

}  // namespace frx::ingest::trace
