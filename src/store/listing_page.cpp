// The first page of `profile serve`. It is made of links and forms alone, so that it needs no script, and what was
// asked for is in its address.
#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "output/clean_text.h"
#include "output/shown_frame.h"
#include "output/text_table.h"
#include "store/listing.h"
#include "support/ascii.h"

namespace profile {
namespace {

constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>profile: a store</title>
<style>
:root { color-scheme: light dark; --line: #8884; --bar: #e8915566; }
body { font: 14px/1.4 system-ui, "DejaVu Sans", sans-serif; margin: 1.5em auto; max-width: 72em; padding: 0 1em; }
h1 { font-size: 1.3em; } h2 { font-size: 1.1em; margin: 1.5em 0 .3em; }
form { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: end; }
label { display: flex; flex-direction: column; font-size: .85em; }
input, select, button { font: inherit; padding: .2em .4em; }
input { width: 13em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .15em .6em; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; width: 60%; max-width: 1px; overflow: hidden; text-overflow: ellipsis; }
progress { width: 5em; height: .7em; margin-right: .6em; }
.fault { color: #c33; }
</style>
)";

std::string markup(std::string_view text) {
  std::string out;
  append_markup(out, clean_text(text));
  return out;
}

// As the value of a parameter of an address.
std::string in_address(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.') {
      out += c;
    } else {
      out += '%';
      append_all(out, hex(static_cast<std::uint8_t>(c), 2));
    }
  }
  return out;
}

class ListingPage {
 public:
  ListingPage(std::ostream& out, const StoreListing* listing, std::string_view where, const ListingWords& words)
      : out_(out), listing_(listing), where_(where), words_(words) {}

  void write(std::string_view fault) {
    out_ << page_head << "<h1>Profiles in " << markup(where_) << "</h1>\n";
    write_choice();
    if (!fault.empty()) out_ << "<p class=\"fault\">" << markup(fault) << "</p>\n";
    if (listing_ == nullptr) return;
    out_ << "<p>" << markup(listing_->title()) << "</p>\n";
    for (const StoreListing::Table& table : listing_->tables) write_table(table);
    write_comparisons();
  }

 private:
  [[nodiscard]] std::string_view word(std::string_view name) const {
    const auto at = std::ranges::find(words_, name, &ListingWords::value_type::first);
    return at == words_.end() ? std::string_view() : at->second;
  }

  // The address of `path` with what was asked for, but for one word.
  [[nodiscard]] std::string address(std::string_view path, std::string_view name, std::string_view value) const {
    std::string parameters;
    const auto add = [&](std::string_view key, std::string_view text) {
      parameters += parameters.empty() ? '?' : '&';
      parameters.append(key).append("=").append(in_address(text));
    };
    for (const auto& [key, text] : words_) {
      if (key != name && !text.empty()) add(key, text);
    }
    if (!value.empty()) add(name, value);
    return markup(std::string(path) + parameters);
  }

  void write_field(std::string_view name, std::string_view label, std::string_view hint, std::string_view value) {
    out_ << "<label>" << label << "<input name=\"" << name << "\" value=\"" << markup(value) << "\" placeholder=\""
         << hint << '"';
    const auto* const table = table_of(name);
    if (table != nullptr) out_ << " list=\"of-" << name << '"';
    out_ << "></label>\n";
    if (table == nullptr) return;
    out_ << "<datalist id=\"of-" << name << "\">";
    for (const StoreListing::Entry& entry : table->entries) out_ << "<option value=\"" << markup(entry.name) << "\">";
    out_ << "</datalist>\n";
  }
  [[nodiscard]] const StoreListing::Table* table_of(std::string_view name) const {
    if (listing_ == nullptr) return nullptr;
    const auto* const table = std::ranges::find(listing_->tables, name, &StoreListing::Table::option);
    return table == listing_->tables.end() ? nullptr : table;
  }

  void write_hidden(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (!word(name).empty()) {
        out_ << "<input type=\"hidden\" name=\"" << name << "\" value=\"" << markup(word(name)) << "\">\n";
      }
    }
  }

  void write_choice() {
    out_ << "<form>\n";
    write_field("service", "Service", "all", word("service"));
    write_field("host", "Host", "all; web-*", word("host"));
    write_field("service-version", "Version", "all", word("service-version"));
    write_field("comm", "Process", "all", word("comm"));
    write_field("from", "From", "-1h", word("from"));
    write_field("to", "To", "now", word("to"));
    if (listing_ != nullptr && listing_->events.size() > 1) {
      out_ << "<label>Event<select name=\"event\">";
      for (const std::string& event : listing_->events) {
        out_ << "<option" << (event == listing_->run.event ? " selected" : "") << '>' << markup(event) << "</option>";
      }
      out_ << "</select></label>\n";
    } else {
      write_hidden({"event"});
    }
    out_ << "<button>List</button>\n<button formaction=\"report\">Flame graph</button>\n</form>\n";
  }

  void write_table(const StoreListing::Table& table) {
    out_ << "<h2>" << table.heading;
    if (table.all > table.entries.size()) out_ << " (" << table.entries.size() << " of " << table.all << ')';
    out_ << "</h2>\n<table><tr><th>" << table.column << "</th><th>share</th><th>" << markup(listing_->amount_heading())
         << "</th>";
    for (const auto& count : StoreListing::counts(table, {})) out_ << "<th>" << count.heading << "</th>";
    out_ << "<th></th></tr>\n";
    for (const StoreListing::Entry& entry : table.entries) write_entry(table, entry);
    out_ << "</table>\n";
  }

  void write_entry(const StoreListing::Table& table, const StoreListing::Entry& entry) {
    const std::string name = entry.name.empty() ? "(unknown)" : markup(entry.name);
    // What has no name, or a star in it, cannot be asked for alone.
    const bool can_ask = !entry.name.empty() && entry.name.find('*') == entry.name.npos;
    out_ << "<tr><td>";
    if (can_ask) out_ << "<a href=\"" << address(".", table.option, entry.name) << "\">";
    out_ << name << (can_ask ? "</a>" : "") << "</td><td><progress max=\"" << listing_->total << "\" value=\""
         << entry.value << "\"></progress>" << percent(entry.value, listing_->total) << "</td><td>"
         << listing_->amount(entry.value) << "</td>";
    for (const auto& count : StoreListing::counts(table, entry)) out_ << "<td>" << count.number << "</td>";
    out_ << "<td>";
    if (can_ask) out_ << "<a href=\"" << address("report", table.option, entry.name) << "\">flame graph</a>";
    out_ << "</td></tr>\n";
  }

  void write_comparisons() {
    const std::initializer_list<std::string_view> both = {"service", "host", "event", "comm"};
    out_ << "<h2>What has changed</h2>\n<form action=\"diff\">\n";
    write_hidden(both);
    write_hidden({"service-version"});
    write_field("a", "Before", "-25h..-24h", "-25h..-24h");
    write_field("b", "After", "-1h..", "-1h..");
    out_ << "<button>Compare times</button>\n</form>\n";
    const StoreListing::Table* const versions = table_of("service-version");
    if (versions == nullptr || versions->entries.size() < 2) return;
    out_ << "<form action=\"diff\">\n";
    write_hidden(both);
    write_hidden({"from", "to"});
    write_field("a-version", "Before", "version", versions->entries[1].name);
    write_field("b-version", "After", "version", versions->entries[0].name);
    out_ << "<button>Compare versions</button>\n</form>\n";
  }

  std::ostream& out_;
  const StoreListing* listing_;
  std::string_view where_;
  const ListingWords& words_;
};

}  // namespace

void write_listing_page(std::ostream& out, const StoreListing* listing, std::string_view where,
                        const ListingWords& words, std::string_view fault) {
  ListingPage(out, listing, where, words).write(fault);
}

}  // namespace profile
