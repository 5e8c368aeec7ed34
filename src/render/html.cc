#include "render/html.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/text.h"
#include "frx_generated/page.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Tone;

std::string_view class_of(Tone tone) {
  constexpr std::string_view names[] = {"", "bold", "dim", "red", "yellow", "green"};
  return names[static_cast<std::size_t>(tone)];
}

std::string with_class(std::string_view element, std::string_view name, std::string_view content) {
  return name.empty() ? std::string(content) : fmt::format("<{0} class=\"{1}\">{2}</{0}>", element, name, content);
}

std::string inline_of(const answer::Text& text) {
  std::string result;
  for (const answer::Span& span : text.spans()) {
    result += span.is_name ? fmt::format("<code>{}</code>", html_text(span.text)) : html_text(span.text);
  }
  return result;
}

constexpr std::size_t least_of_a_value = 12;  // cells before the value of a fact

std::string_view word_for(answer::Status status) {
  constexpr std::string_view words[] = {"bad", "look", "ok", "-"};
  return words[static_cast<std::size_t>(status)];
}

std::string data_block(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? void(text += "\\u003c") : void(text += c);
  return text;
}

// What is between two titles is written section by section, the verdict first, and the figures behind the evidence.
class HtmlWriter {
 public:
  explicit HtmlWriter(const answer::Document& document) : blocks_(document.blocks()) {
    if (!document.headline.empty()) page_ = fmt::format("<h1>{}</h1>\n", html_text(document.headline));
    has_headline_ = !document.headline.empty();
    for (const answer::Block& block : blocks_) {
      if (const auto* figure = std::get_if<answer::Figure>(&block)) figures_.insert(figure->kind);
      const auto* const section = std::get_if<answer::Section>(&block);
      has_verdict_ = has_verdict_ || (section && section->part == answer::Part::verdict);
    }
    for (const answer::Block& block : blocks_) std::visit(*this, block);
    leave_title();
  }

  std::string take() { return std::move(page_); }

  void operator()(const answer::Title& title) {
    leave_title();
    const std::string words = html_text(title.words + (title.names.empty() ? "" : " " + title.names));
    page_ += has_headline_ ? fmt::format("<p class=\"dim\">{}</p>\n", words) : fmt::format("<h1>{}</h1>\n", words);
    has_headline_ = true;
  }

  void operator()(const answer::Section& section) {
    leave_section();
    const std::string remark = section.remark.empty() ? "" : fmt::format(" <small>{}</small>", html_text(section.remark));
    heading_ = html_text(section.heading) + remark;
    is_drawn_ = figures_.contains(section.drawn_as) && page_problem().empty();
    place_ = place_of(section.part);
  }

  void operator()(const answer::Figure& figure) {
    leave_section();
    place_ = Place::figures;
    // The numbers stand in the page as data; what would end them there is written as an escape.
    const std::string numbers = data_block(answer::compact_json(figure.numbers));
    sections_.push_back({place_, fmt::format("<section class=\"picture\" data-figure=\"{}\"><h2>{}</h2>\n<p class=\"dim\">{}</p>\n<div "
                                             "class=\"figure\"></div>\n<script type=\"application/json\">{}</script></section>\n",
                                             html_text(figure.kind), html_text(figure.heading), html_text(figure.about), numbers)});
    place_ = Place::evidence;
  }

  // "Why   : " is the name of a fact, "- " the mark of a list, "1. [HIGH] " a mark and a label.
  void operator()(const answer::Item& item) {
    std::string_view head = trim(item.head);
    // What stands below the value of a fact goes on with it.
    if (head.empty() && item.indent >= least_of_a_value && !lists_.empty() && lists_.back() < item.indent) {
      text_ +=
          fmt::format("<div class=\"fact\"><b></b><span>{}</span></div>", with_class("span", class_of(item.tone), inline_of(item.text)));
      return;
    }
    enter_item(item.indent);
    const bool is_fact = head.ends_with(':') && head.size() > 1;
    if (is_fact) head = trim(head.substr(0, head.size() - 1));
    if (head == "-") head = "\u2022";
    std::string words = with_class("span", class_of(item.tone), inline_of(item.text));
    if (item.score) words = score_bar(*item.score) + words;
    if (is_fact) {
      if (!item.source.empty()) words = with_source(words, item.source);
      text_ += fmt::format("<div class=\"fact\"><b>{}</b><span>{}</span></div>", html_text(head), words);
    } else if (head.empty()) {
      text_ += words;
    } else if (head == "\u2022" && !item.source.empty()) {
      text_ += with_source(words, item.source);  // the mark of the disclosure is enough
    } else {
      std::string marked = fmt::format("<b class=\"mark {}\">{}</b>{}", class_of(item.head_tone), html_text(head), words);
      text_ += item.source.empty() ? marked : with_source(marked, item.source);
    }
  }

  void operator()(const answer::Line& line) {
    leave_items(line.indent);
    const std::string code = fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>", html_text(line.text));
    if (line.kind == answer::Line::Kind::source) {
      text_ += code + "\n";
    } else {
      text_ += fmt::format("<div class=\"command\">{}<button type=\"button\" data-copy>Copy</button></div>\n", code);
    }
  }

  void operator()(const answer::Verbatim& lines) {
    leave_items(0);
    text_ += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", html_text(lines.text));
  }

  void operator()(const answer::Blank&) {}

  void operator()(const answer::Table& table) {
    leave_items(0);
    if (table.rows.empty()) return;
    text_ += "<div class=\"scroll\" tabindex=\"0\"><table>";
    if (std::ranges::any_of(table.columns, [](const answer::Column& column) { return !column.heading.empty(); })) {
      text_ += "<thead><tr>";
      for (const answer::Column& column : table.columns) {
        const std::string_view element = column.heading.empty() ? "td" : "th scope=\"col\"";
        text_ += fmt::format("<{}{}>{}</{}>", element, column.is_right ? " class=\"right\"" : "", html_text(column.heading),
                             element.substr(0, 2));
      }
      text_ += "</tr></thead>";
    }
    text_ += "<tbody>";
    for (const answer::Row& row : table.rows) put_row(table, row);
    text_ += "</tbody></table></div>\n";
  }

  void operator()(const answer::Bars& bars) {
    leave_items(0);
    if (bars.bars.empty()) return;
    text_ += fmt::format("<div class=\"bars\" role=\"img\" aria-label=\"{}\">", html_text(described(bars)));
    for (const answer::Bars::Bar& bar : bars.bars) {
      text_ += fmt::format(
          "<span>{}</span><svg class=\"bar\" aria-hidden=\"true\" height=\"14\" width=\"100%\"><rect class=\"{}\" height=\"14\" "
          "width=\"{:.2f}%\" rx=\"3\" fill=\"currentColor\"></rect></svg><span>{:.1f} %</span>",
          html_text(bar.label), class_of(bar.tone), 100 * std::clamp(bar.share, 0.0, 1.0), 100 * bar.share);
    }
    text_ += "</div>\n";
  }

 private:
  // A number and its unit stay on one line.
  static std::string with_its_unit(std::string_view text) {
    std::string joined;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_behind_number = text[i] == ' ' && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
      if (is_behind_number)
        joined += "\u00a0";
      else
        joined += text[i];
    }
    return joined;
  }

  // A disclosure needs no script, and is reached by keyboard.
  static std::string with_source(std::string_view words, std::string_view source) {
    return fmt::format("<details class=\"why\"><summary>{}</summary>{}</details>", words, html_text(source));
  }

  // Names of templates may be longer than all the rest of a page.
  static std::string name_of(std::string_view text) {
    constexpr std::size_t short_enough = 160;
    const std::string whole = fmt::format("<code>{}</code>", html_text(text));
    if (text.size() <= short_enough) return whole;
    return fmt::format("<details><summary><code>{}</code></summary>{}</details>", html_text(shorten(text, short_enough)), whole);
  }

  enum class Place : std::uint8_t { verdict, advice, subject, evidence, figures, closing };
  struct Written {
    Place place;
    std::string text;
  };

  static Place place_of(answer::Part part) {
    switch (part) {
      case answer::Part::verdict: return Place::verdict;
      case answer::Part::advice: return Place::advice;
      case answer::Part::evidence: return Place::evidence;
      case answer::Part::closing: return Place::closing;
    }
    return Place::evidence;
  }

  static std::string described(const answer::Bars& bars) {
    std::string words = bars.what;
    for (const answer::Bars::Bar& bar : bars.bars) words += fmt::format("; {} {:.1f} %", bar.label, 100 * bar.share);
    return words;
  }

  // Styles of elements are not allowed on the page, attributes of a drawing are.
  static std::string score_bar(double score) {
    return fmt::format(
        "<svg class=\"score\" role=\"img\" aria-label=\"score {:.2f}\" viewBox=\"0 0 100 14\" preserveAspectRatio=\"none\"><rect "
        "width=\"{:.1f}\" height=\"14\" fill=\"currentColor\"></rect></svg>",
        score, 100 * std::clamp(score, 0.0, 1.0));
  }

  void put_row(const answer::Table& table, const answer::Row& row) {
    text_ += row.tone == Tone::plain ? "<tr>" : fmt::format("<tr class=\"{}\">", class_of(row.tone));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const answer::Column& column = table.columns[i];
      text_ += fmt::format("<td{}>", column.is_right ? " class=\"right\"" : column.is_name ? " class=\"name\"" : "");
      if (i < row.cells.size()) {
        const answer::Cell& cell = row.cells[i];
        if (cell.status) {
          text_ += with_class("span", class_of(answer::tone_of(*cell.status)), word_for(*cell.status));
        } else {
          std::string words = html_text(column.is_right ? with_its_unit(cell.text) : cell.text);
          if (column.is_name && !cell.text.empty()) words = name_of(cell.text);
          text_ += cell.source.empty() ? words : with_source(words, cell.source);
        }
      }
      text_ += "</td>";
    }
    text_ += "</tr>";
  }

  // Items that stand as far in are one list; one that stands further in is a list inside of the item before it.
  void enter_item(std::size_t indent) {
    while (!lists_.empty() && lists_.back() > indent) leave_list();
    if (!lists_.empty() && lists_.back() == indent) {
      text_ += "</li>\n<li>";
      return;
    }
    text_ += "<ul class=\"plain\"><li>";
    lists_.push_back(indent);
  }

  void leave_list() {
    text_ += "</li></ul>\n";
    lists_.pop_back();
  }

  void leave_items(std::size_t indent) {
    while (!lists_.empty() && lists_.back() >= indent) leave_list();
  }

  // What stands before the first section says what the answer is about.
  void leave_section() {
    leave_items(0);
    if (!text_.empty() || !heading_.empty()) {
      std::string section = fmt::format("<section><h2>{}</h2>\n{}</section>\n",
                                        !heading_.empty() ? heading_
                                        : has_verdict_    ? "What was analysed"
                                                          : "In short",
                                        std::exchange(text_, {}));
      // Without scripts there are no figures.
      if (is_drawn_) section = fmt::format("<noscript>{}</noscript>\n", section);
      sections_.push_back({place_, std::move(section)});
    }
    heading_.clear();
    is_drawn_ = false;
  }

  void leave_title() {
    leave_section();
    std::ranges::stable_sort(sections_, {}, &Written::place);
    for (Written& section : sections_) {
      if (is_first_ && section.text.starts_with("<section>")) {
        section.text.insert(std::string_view("<section").size(), " class=\"first\"");
        is_first_ = false;
      }
      page_ += section.text;
    }
    sections_.clear();
    place_ = Place::subject;
  }

  const std::vector<answer::Block>& blocks_;
  std::vector<std::size_t> lists_;              // indents of those that are open
  std::set<std::string, std::less<>> figures_;  // kinds
  bool has_headline_ = false, is_first_ = true, is_drawn_ = false, has_verdict_ = false;
  Place place_ = Place::subject;   // of the section that is being written
  std::string heading_, text_;     // its heading, and what is in it
  std::vector<Written> sections_;  // since the last title
  std::string page_;
};

std::string base64_of_hex(std::string_view hex) {
  const auto value_of = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(value_of(hex[i]) << 4 | value_of(hex[i + 1]));
  return base64(bytes);
}

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.document); }

// Pages are always written in full.
void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  const answer::Document document = answer.document(answer::Detail::full);
  const std::string title = document.headline.empty() ? answer.what : document.headline;
  sink(fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>frx: {}</title>\n<style>",
      content_security_policy(), html_text(title)));
  sink(page_style());
  sink(fmt::format("</style>\n</head>\n<body>\n<header class=\"bar\"><strong>Fournex</strong><span>frx {}</span></header>\n<main>\n",
                   FRX_VERSION));
  sink(html_of(document));
  sink("</main>\n<footer>Made by frx; this page needs no other file and asks no other machine.");
  if (!page_problem().empty()) sink(fmt::format(" It has no figures: {}.", html_text(page_problem())));
  sink("</footer>\n<script>");
  sink(page_script());
  sink("</script>\n</body>\n</html>\n");
}

}  // namespace

constinit const Renderer html_renderer{"html", "page", can_write, write, true};

std::string html_of(const answer::Document& document) { return HtmlWriter(document).take(); }

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string_view page_style() { return generated::page_css; }
std::string_view page_script() { return generated::report_js; }
std::string_view page_problem() { return generated::page_problem; }

const std::string& content_security_policy() {
  static const std::string policy =
      fmt::format("default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                  base64_of_hex(sha256(page_style())), base64_of_hex(sha256(page_script())));
  return policy;
}

}  // namespace frx::render
