// The tables for spreadsheets and data frames, as RFC 4180: one line of names, then one line per row, with all rows.
// Numbers are integers and times are nanoseconds; an empty line separates tables.
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/hottest.h"
#include "output/measures.h"
#include "output/output.h"

namespace profile {
namespace {

class Line {
 public:
  explicit Line(std::ostream& out) : out_(out) {}
  ~Line() { out_ << "\r\n"; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& number(std::uint64_t value) {
    out_ << next() << std::to_string(value);
    return *this;
  }
  Line& text(std::string_view text) {
    out_ << next();
    const bool is_plain = text.find_first_of(",\"") == text.npos;
    if (!is_plain) out_ << '"';
    // A spreadsheet takes such a text for a formula, and other users can choose the names.
    if (text.find_first_of("=+-@") == 0) out_ << '\'';
    for (const char c : text) out_ << (c == '"' ? "\"\"" : std::string_view(&c, 1));
    if (!is_plain) out_ << '"';
    return *this;
  }

 private:
  std::string_view next() { return std::exchange(is_first_, false) ? "" : ","; }

  std::ostream& out_;
  bool is_first_ = true;
};

void write_functions(std::ostream& out, const Profile& profile) {
  Line(out).text("function").text("module").text("self").text("total").text("unit");
  const std::string unit = clean_text(profile.run.unit.word());
  for (const HotFunction& function : hottest_functions(profile)) {
    Line(out).text(function.name).text(function.module).number(function.self).number(function.total).text(unit);
  }
}

void write_csv(std::ostream& out, const Profile& profile) {
  bool any = false;
  // `visit_item` visits the values of one of `items`; `blank` is one without values, for the line of names.
  const auto part = [&]<class Item>(const std::vector<Item>& items, const Item& blank, const auto& visit_item) {
    if (std::exchange(any, true)) out << "\r\n";
    const auto write = [&](const Item& item, bool are_names) {
      Line line(out);
      visit_item(item, [&](const MeasureValue& value) {
        if (value.csv.empty()) return;
        are_names ? line.text(value.csv) : value.number ? line.number(*value.number) : line.text(value.text);
      });
    };
    write(blank, true);
    for (const Item& item : items) write(item, false);
  };
  if (profile.thread_waits) {
    part(*profile.thread_waits, ThreadWait(),
         [&](const ThreadWait& thread, const MeasureVisit& visit) { visit_wait(profile, thread, 0, visit); });
  }
  for (const DurationTable& table : profile.duration_tables) {
    DurationTable::Row blank;
    blank.labels.resize(table.column_names.size());
    part(table.rows, blank, [&](const DurationTable::Row& row, const MeasureVisit& visit) {
      visit_durations(profile, table, row, visit);
    });
  }
  if (profile.syscalls) {
    const SyscallUse blank;
    const SyscallError blank_error;
    part(profile.syscalls->calls, blank,
         [&](const SyscallUse& call, const MeasureVisit& visit) { visit_call(profile, call, visit); });
    if (profile.syscalls->has_failures) {
      part(failures_of(*profile.syscalls), SyscallFailure{.call = &blank, .error = &blank_error},
           [&](const SyscallFailure& failure, const MeasureVisit& visit) { visit_failure(profile, failure, visit); });
    }
  }
  if (!any) write_functions(out, profile);
}

}  // namespace

Output make_csv(const OutputOptions& /*options*/) { return {.report = write_csv}; }

}  // namespace profile
