// `profile store init URL` makes the tables of a fleet's store, or checks those that are there; `profile store list
// URL` tells what it has.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/print.h"
#include "app/reading.h"
#include "app/store_list.h"
#include "push/asker.h"
#include "push/pusher.h"
#include "store/tables.h"
#include "support/error.h"
#include "support/plural.h"
#include "support/text_parts.h"

namespace profile {

extern const Subcommand store_command;

namespace {

constexpr std::string_view store_options[] = {
    "cluster", "ttl",   "dry-run", "service", "host",           "service-version", "comm", "from",
    "to",      "event", "top",     "format",  "push-auth-file", "quiet",           "help"};
// Those of `init`; the others are of `list`, but for the last three, which both have.
constexpr const char* init_options[] = {"cluster", "ttl", "dry-run"};
constexpr const char* list_options[] = {"service", "host", "service-version", "comm", "from", "to",
                                        "event",   "top",  "format"};

void print_store_help(std::ostream& out) {
  out << "usage: profile store init [options] URL\n"
         "       profile store list [options] URL\n"
         "\nMakes the tables for profile --store URL in a database of ClickHouse that exists, or checks those that are "
         "there.\n"
         "list tells which services, hosts, versions and processes it has samples of, without --from in its last "
         "hour.\n"
         "URL is clickhouse+http://USER@HOST:8123/DATABASE, or with https.\n\n";
  print_options(out, store_command);
  out << "\nExamples:\n"
         "  profile store init clickhouse+http://store:8123/profiles\n"
         "  profile store init --ttl 30 clickhouse+https://admin@store:8443/profiles\n"
         "  profile store init --cluster shards --dry-run clickhouse+http://store:8123/profiles\n"
         "  profile store list --service shop --from -1d clickhouse+http://store:8123/profiles\n";
}

StoreTables tables_of(const ParsedOptions& parsed) {
  constexpr std::uint64_t most_days = 36'500;
  StoreTables tables{.cluster = parsed.text("cluster"), .database = {}, .keep_days = {}};
  if (parsed.has("cluster") && tables.cluster.empty()) throw bad_value("cluster", "''", "not the name of a cluster");
  if (parsed.has("ttl")) tables.keep_days = static_cast<unsigned>(parsed.number("ttl", 0, most_days));
  return tables;
}

class StoreInit {
 public:
  StoreInit(const ParsedOptions& parsed, const PushTarget& store, const std::string& credentials)
      : tables_(tables_of(parsed)),
        is_dry_(parsed.is_on("dry-run")),
        is_quiet_(parsed.is_on("quiet")),
        asker_(store, credentials) {}

  int run() {
    const FoundTables found = look();
    const bool is_new = !found.missing.empty();
    if (found.has_any) check(found);
    statements_ = tables_.statements(found.version);
    if (found.has_any) {
      for (const std::string& change : tables_.changes(found.version)) statements_.push_back(change);
    }
    add_drops(found.version);
    if (is_dry_) {
      return print_on_stdout([this](std::ostream& out) {
        for (const std::string& sql : statements_) out << sql << ";\n";
      });
    }
    for (const std::string& sql : statements_) static_cast<void>(asker_.ask(sql));
    check(look());
    answer(is_new ? "the tables are made" : "the tables are there");
    if (tables_.keep_days && !has_ttl(found.version)) {
      answer("dropped " + number_of(dropped_, "old day of a table", "old days of tables") +
             "; this server cannot do that by itself: run this every day");
    }
    return 0;
  }

 private:
  void answer(const std::string& line) const {
    if (!is_quiet_) say(asker_.store().name + ": " + line);
  }

  // The answer of a database without tables is empty, and tells no version.
  FoundTables look() {
    const std::string answer = asker_.ask(columns_query(store_columns()));
    const std::string version = asker_.ask("SELECT version(), 'none', 'none', 'none' FORMAT TabSeparated");
    if (!tables_.cluster.empty()) {
      tables_.database = asker_.ask("SELECT currentDatabase() FORMAT TabSeparated");
      tables_.database.resize(std::min(tables_.database.find('\n'), tables_.database.size()));
    }
    auto found = tables_in(answer + version, store_columns());
    if (!found) throw asker_.error("what it answers is not ClickHouse's");
    return *found;
  }

  void check(const FoundTables& found) {
    const std::string engines = asker_.ask(engines_query());
    const std::string fault = fault_of_engines(engines);
    if (!fault.empty()) throw asker_.error(fault + "; another program or version made it");
    if (found.missing.empty()) return;
    const std::string table = found.missing.substr(0, found.missing.find('.'));
    std::string_view rest = engines;
    while (!rest.empty()) {
      std::string_view line = take_until(rest, '\n');
      if (take_until(line, '\t') != table) continue;
      throw asker_.error("the table " + table + " lacks the column " + found.missing.substr(table.size() + 1) +
                         "; another program or version made it");
    }
  }

  void add_drops(ServerVersion version) {
    if (!tables_.keep_days || has_ttl(version)) return;
    const std::string answer = asker_.ask(old_partitions_query(*tables_.keep_days));
    std::string_view rest = answer;
    while (!rest.empty()) {
      std::string_view line = take_until(rest, '\n');
      const std::string_view table = take_until(line, '\t');
      if (!parse_number<std::uint32_t>(line)) throw asker_.error("it has a partition that is no day");
      statements_.push_back(drop_partition(table, line, tables_.cluster));
      ++dropped_;
    }
  }

  StoreTables tables_;
  bool is_dry_;
  bool is_quiet_;
  StoreAsker asker_;
  std::vector<std::string> statements_;
  std::uint64_t dropped_ = 0;
};

int run_store(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(store_command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_store_help);
  const std::vector<std::string> words = parsed.positional();
  const bool lists = !words.empty() && words.front() == "list";
  if (!lists && (words.empty() || words.front() != "init")) {
    throw usage_error("store: init or list is missing, as in store init URL");
  }
  const std::string command = "store " + words.front();
  for (const char* const name : lists ? std::span<const char* const>(init_options) : list_options) {
    if (parsed.is_given(name)) throw usage_error(command + ": " + spelled(name) + " is not for this command");
  }
  if (words.size() != 2) throw usage_error(command + ": one URL, like clickhouse+http://HOST:8123/DATABASE");
  if (lists) return run_store_list(parsed, words[1]);
  const PushTarget store = store_target_of(words[1], "store init");
  const std::string credentials = push_credentials(parsed.text("push-auth-file"));
  if (const std::string warning = warning_about(store, credentials); !warning.empty()) say("profile: " + warning);
  return StoreInit(parsed, store, credentials).run();
}

}  // namespace

const Subcommand store_command{.name = "store",
                               .summary = "make the tables of a ClickHouse store, and list what is in them",
                               .arguments = "URL",
                               .files = "'1:what:(init list)' '2:URL:'",
                               .options = store_options,
                               .run = run_store};

}  // namespace profile
