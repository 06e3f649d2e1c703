// `profile record`: a run that writes each sample into a recording. It takes the options of a run.
#include <ostream>

#include "app/options.h"
#include "app/print.h"
#include "app/session.h"
#include "app/subcommands.h"

namespace profile {

extern const Subcommand record_command;

namespace {

void print_record_help(std::ostream& out) {
  out << "usage: profile record [options] [DURATION | -- COMMAND [ARG...]]\n"
         "\nRecords each sample with its time in an SQLite database: the -o whose name ends in .db, or profile.db. It "
         "takes\n"
         "the options of a run (profile --help), and other outputs beside it. profile report shows what was recorded, "
         "or\n"
         "a part of it.\n\n";
  for (const char* const name : {"output", "max-size", "keep"}) {
    const OptionRow& row = option_row(name);
    print_help_line(out, left_column(row), summary_of(row));
  }
  out << "\nExamples:\n"
         "  profile record -o shop.db 60             a minute of the whole machine\n"
         "  profile record --keep 24h -o day.db      the last 24 hours, until Ctrl-C\n"
         "  profile record -e off-cpu -- ./server    where its threads wait, and when\n"
         "  profile report --from 20 --to 30 -o part.html shop.db\n";
}

int run_record(std::span<const char* const> arguments) {
  const Options options = parse_options(arguments, true);
  if (options.help) return print_on_stdout(print_record_help);
  return run_session(options, [&] { static_cast<void>(parse_options(arguments, true)); });
}

}  // namespace

const Subcommand record_command{.name = "record",
                                .summary = "record each sample with its time, in profile.db or the -o that ends in .db",
                                .arguments = "",
                                .files = "",
                                .options = {},
                                .run = run_record,
                                .is_run = true};

}  // namespace profile
