// The tables for spreadsheets and data frames, as RFC 4180: one line of names, then one line per row, with all rows.
// Numbers are integers and times are nanoseconds; an empty line separates tables.
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "model/syscall_analysis.h"
#include "output/clean_text.h"
#include "output/error_name.h"
#include "output/hottest.h"
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
  Line& texts(std::initializer_list<std::string_view> all) {
    for (const std::string_view one : all) text(one);
    return *this;
  }

 private:
  std::string_view next() { return std::exchange(is_first_, false) ? "" : ","; }

  std::ostream& out_;
  bool is_first_ = true;
};

std::string name(const Profile& profile, StringId id) { return clean_name(profile.strings.view(id)); }

void write_functions(std::ostream& out, const Profile& profile) {
  Line(out).texts({"function", "module", "self", "total", "unit"});
  const std::string unit = clean_text(profile.run.unit.word());
  for (const HotFunction& function : hottest_functions(profile)) {
    Line(out).text(function.name).text(function.module).number(function.self).number(function.total).text(unit);
  }
}

void write_waits(std::ostream& out, const Profile& profile) {
  Line(out).texts({"pid", "tid", "name", "blocked_ns", "waits", "longest_ns"});
  for (const ThreadWait& thread : *profile.thread_waits) {
    const Durations& waits = thread.waits;
    Line line(out);
    line.number(thread.tgid).number(thread.tid).text(name(profile, thread.name));
    line.number(waits.total_ns).number(waits.count).number(waits.max_ns);
  }
}

void write_durations(std::ostream& out, const Profile& profile, const DurationTable& table) {
  {
    Line line(out);
    for (const std::string& column : table.column_names) line.text(clean_text(column));
    line.texts({"count", "total_ns", "min_ns", "max_ns"});
    if (table.has_bytes) line.text("bytes");
  }
  for (const DurationTable::Row& row : table.rows) {
    const Durations& times = row.durations;
    Line line(out);
    for (const StringId label : row.labels) line.text(name(profile, label));
    line.number(times.count).number(times.total_ns).number(times.min_ns).number(times.max_ns);
    if (table.has_bytes) line.number(row.bytes);
  }
}

// Adds the process if the report keeps processes apart.
void add_process(Line& line, const Profile& profile, const SyscallUse& call) {
  if (profile.syscalls->by_process) line.number(call.tgid).text(name(profile, call.process));
}
void add_process_names(Line& line, const Profile& profile) {
  if (profile.syscalls->by_process) line.texts({"pid", "process"});
}

void write_calls(std::ostream& out, const Profile& profile) {
  const SyscallReport& report = *profile.syscalls;
  {
    Line line(out);
    line.texts({"syscall", "category"});
    add_process_names(line, profile);
    line.text("calls");
    if (report.has_failures) line.text("failed");
    if (report.has_durations) line.texts({"returned", "total_ns", "min_ns", "max_ns"});
  }
  for (const SyscallUse& call : report.calls) {
    Line line(out);
    line.text(name(profile, call.name)).text(name_of(call.category));
    add_process(line, profile, call);
    line.number(call.count);
    if (report.has_failures) line.number(call.failed);
    if (!report.has_durations) continue;
    const Durations& times = call.durations;
    line.number(times.count).number(times.total_ns).number(times.min_ns).number(times.max_ns);
  }
}

void write_errors(std::ostream& out, const Profile& profile) {
  {
    Line line(out);
    line.text("syscall");
    add_process_names(line, profile);
    line.texts({"error", "failed"});
  }
  for (const SyscallUse& call : profile.syscalls->calls) {
    for (const auto& [error, count] : call.errors) {
      Line line(out);
      line.text(name(profile, call.name));
      add_process(line, profile, call);
      line.text(error_name(error)).number(count);
    }
  }
}

void write_csv(std::ostream& out, const Profile& profile) {
  bool any = false;
  const auto part = [&out, &any] {
    if (std::exchange(any, true)) out << "\r\n";
  };
  if (profile.thread_waits) part(), write_waits(out, profile);
  for (const DurationTable& table : profile.duration_tables) part(), write_durations(out, profile, table);
  if (profile.syscalls) {
    part(), write_calls(out, profile);
    if (profile.syscalls->has_failures) part(), write_errors(out, profile);
  }
  if (!any) write_functions(out, profile);
}

}  // namespace

Output make_csv(const OutputOptions& /*options*/) { return {.report = write_csv}; }

}  // namespace profile
