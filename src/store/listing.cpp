#include "store/listing.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "model/run_words.h"
#include "output/clean_text.h"
#include "output/header.h"
#include "output/text_table.h"
#include "store/selection.h"
#include "store/tables.h"
#include "support/clock.h"

namespace profile {
namespace {

// What one value is worth in nanoseconds; 0: it is no time.
std::uint64_t ns_per_value(const RunInfo& run) {
  if (run.unit == Unit::nanoseconds) return 1;
  return run.unit == Unit::microseconds ? 1000 : ns_per_sample(run);
}

// The value of a row in the unit of the run.
std::string value_of(const StoreSelection& selection) {
  if (!selection.has_rates()) return "value";
  std::string worth;
  for (const SampleKind& kind : selection.kinds()) {
    worth += "frequency_hz = " + std::to_string(kind.frequency_hz) +
             " AND period_events = " + std::to_string(kind.period_events) + ", toUInt64(" +
             std::to_string(StoreSelection::ns_per_value(kind.frequency_hz, kind.period_events)) + "), ";
  }
  return "value * multiIf(" + worth + "toUInt64(0))";
}

void read_sums(const StoreSelection& selection, StoreListing& listing) {
  const std::string sql = "SELECT uniqExact(service), uniqExact(host), uniqExact(version), uniqExact(process), sum(" +
                          value_of(selection) + ") FROM " + selection.table(samples_table) + selection.where_of_kind() +
                          std::string(end_of_query);
  selection.each_row(sql, most_short_answer_bytes, [&](RowReader& row) {
    for (StoreListing::Table& table : listing.tables) table.all = row.number<std::uint64_t>();
    listing.total = row.number<std::uint64_t>();
  });
}

void read_table(const StoreSelection& selection, StoreListing::Table& table, std::size_t most) {
  const std::string column(table.column);
  const std::string sql = "SELECT " + column + ", sum(" + value_of(selection) +
                          ") AS of_all, uniqExact(service), uniqExact(host), uniqExact(version) FROM " +
                          selection.table(samples_table) + selection.where_of_kind() + " GROUP BY " + column +
                          " ORDER BY of_all DESC, " + column + " LIMIT " + std::to_string(most) +
                          std::string(end_of_query);
  selection.each_row(sql, most_short_answer_bytes, [&](RowReader& row) {
    StoreListing::Entry entry;
    entry.name = row.text();
    entry.value = row.number<std::uint64_t>();
    entry.services = row.number<std::uint64_t>();
    entry.hosts = row.number<std::uint64_t>();
    entry.versions = row.number<std::uint64_t>();
    if (row.is_short() || row.is_wrong()) return;
    if (table.entries.size() >= most) throw selection.nonsense();
    table.entries.push_back(std::move(entry));
  });
}

}  // namespace

StoreListing list_store(const AskStore& ask, const std::string& name, const ReadRequest& request, std::int64_t now_s,
                        std::size_t most, const std::function<void(const std::string&)>& note) {
  StoreSelection selection(ask, name, request, now_s);
  selection.choose_kinds(note);
  StoreListing listing{.run = {},
                       .from_s = selection.from_s(),
                       .to_s = selection.to_s() - 1 + static_cast<std::int64_t>(selection.tick_s()),
                       .events = selection.events(),
                       .tables = {{{"service", "service", "Services", 0, {}},
                                   {"host", "host", "Hosts", 0, {}},
                                   {"version", "service-version", "Versions", 0, {}},
                                   {"process", "comm", "Processes", 0, {}}}}};
  selection.set_run(listing.run);
  read_sums(selection, listing);
  for (StoreListing::Table& table : listing.tables) read_table(selection, table, most);
  return listing;
}

std::string StoreListing::amount_heading() const {
  if (ns_per_value(run) == 0) return run.unit.word() + "/s";
  return run.unit == Unit::samples || run.event.ends_with("-clock") ? "CPUs" : "threads";
}

std::string StoreListing::amount(std::uint64_t value) const {
  const std::uint64_t ns = ns_per_value(run);
  const double per_s = static_cast<double>(value) / static_cast<double>(std::max<std::int64_t>(to_s - from_s, 1));
  return seconds(ns == 0 ? per_s : per_s * to_seconds(ns));
}

std::vector<StoreListing::Count> StoreListing::counts(const Table& table, const Entry& entry) {
  std::vector<Count> all;
  for (const Count& count : {Count{"service", "services", entry.services}, Count{"host", "hosts", entry.hosts},
                             Count{"version", "versions", entry.versions}}) {
    if (count.column != table.column) all.push_back(count);
  }
  return all;
}

std::string StoreListing::title() const {
  const auto time = [](std::int64_t unix_s) { return place_of({}, static_cast<std::uint64_t>(unix_s) * ns_per_s); };
  std::string what = run.title;
  if (what.empty()) {
    const bool has_rate = run.frequency_hz != 0 || run.period_events != 0;
    what = has_rate ? sampling_title(run.event, run.frequency_hz, run.period_events) : "Samples of " + run.event;
  }
  return clean_text(what) + ", " + time(from_s) + " to " + time(to_s);
}

void write_listing(std::ostream& out, const StoreListing& listing) {
  out << listing.title() << '\n';
  if (listing.events.size() > 1) {
    out << "Events: ";
    for (const std::string& event : listing.events)
      out << (&event == listing.events.data() ? "" : ", ") << clean_text(event);
    out << '\n';
  }
  for (const StoreListing::Table& table : listing.tables) {
    out << '\n' << table.heading;
    if (table.all > table.entries.size()) out << " (" << table.entries.size() << " of " << table.all << ')';
    out << '\n';
    std::vector<TextTable::Column> columns{{"share"}, {listing.amount_heading()}};
    for (const auto& count : StoreListing::counts(table, {})) columns.push_back({std::string(count.heading)});
    columns.push_back({std::string(table.column), TextTable::Align::left});
    TextTable text(columns);
    for (const StoreListing::Entry& entry : table.entries) {
      std::vector<std::string> cells{percent(entry.value, listing.total), listing.amount(entry.value)};
      for (const auto& count : StoreListing::counts(table, entry)) cells.push_back(std::to_string(count.number));
      cells.push_back(entry.name.empty() ? "(unknown)" : clean_text(entry.name));
      text.add(std::move(cells));
    }
    text.write(out);
  }
}

}  // namespace profile
