// The table of options, and the help that is printed from it.
#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/print.h"
#include "app/subcommands.h"
#include "interpret/interpreter.h"
#include "model/syscall_analysis.h"

namespace profile {
namespace {

constexpr std::string_view event = "What to measure";
constexpr std::string_view what = "Filters";
constexpr std::string_view how = "How to sample";
constexpr std::string_view show = "What to show";
constexpr std::string_view names = "Where names come from";
constexpr std::string_view write = "Output";
constexpr std::string_view live = "Live page";
constexpr std::string_view other = "Other";

// From a table whose rows have a name.
template <class Row>
Choices choices_in(std::span<const Row> table) {
  Choices all;
  for (const Row& row : table) all.push_back({std::string(row.name), std::string(row.summary)});
  return all;
}

Choices choices_of(std::span<const std::string_view> texts) {
  Choices all;
  for (const std::string_view name : texts) all.push_back({std::string(name), ""});
  return all;
}

Choices states() { return choices_of(wait_state_names); }
Choices ways() { return choices_of(unwinding_names); }
Choices languages() {
  Choices all;
  for (const std::string_view name : language_names()) all.push_back({std::string(name), ""});
  all.push_back({"none", ""});
  return all;
}
Choices categories() { return choices_of(syscall_category_names()); }
Choices formats() { return choices_in(output_formats()); }
Choices stream_form_names() { return choices_in(stream_forms()); }

constexpr OptionRow rows[] = {
    {"event", 'e', "NAME", "the event (default cpu-clock); see --list-events; several into a recording or files", event,
     true, "events"},
    {"list-events", 0, "", "list the events, and why some are not available here", event, false},
    {"min-block-us", 0, "US", "off-cpu, futex: only waits of at least US microseconds (default 0)", event, false},
    {"max-block-us", 0, "US", "off-cpu, futex: only waits of at most US microseconds", event, false},
    {"state", 0, "STATE", "off-cpu: only this state (default any):", event, false, "", states},
    {"waker", 0, "", "off-cpu: also who ends each wait: name and stack of that thread", event, false},
    {"ended-waits", 0, "", "off-cpu, wall: leave out waits that do not end in the run, as those of idle threads", event,
     false},
    {"latency", 0, "", "syscalls: how long they take", event, false},
    {"failed", 0, "", "syscalls: count failures by error; stacks of these alone", event, false},
    {"by-process", 0, "", "syscalls: separate rows by process", event, false},
    {"category", 0, "NAME", "syscalls:", event, false, "", categories},
    {"live", 0, "", "malloc: only memory that is not freed at the end", event, false},

    {"pid", 'p', "LIST", "only these processes (comma-separated ids)", what, true, "pids"},
    {"tid", 'L', "LIST", "only these threads; not with -p", what, true, "tids"},
    {"comm", 0, "NAME", "only threads with this name, or with names that begin so: NAME*; may be repeated", what, true,
     "names"},
    {"cpu", 'C', "LIST", "only on these CPUs: 0 or 0,2-3", what, false, "cpus"},
    {"cgroup", 0, "PATH", "only the cgroup v2 directory PATH and all groups below it", what, false, "cgroups"},
    {"cgroupmap", 0, "PATH", "only cgroups whose id is a key of the pinned BPF hash PATH", what, false, "pinned"},
    {"mntnsmap", 0, "PATH", "only mount namespaces whose inode is a key of the pinned BPF hash PATH", what, false,
     "pinned"},
    {"include-idle", 'I', "", "also the stacks of idle CPUs", what, false},

    {"frequency", 'F', "HZ", "samples per second on each CPU, for events with a rate (default 49); not with -c", how,
     false},
    {"count", 'c', "N", "one sample every N events; an event of cpu-clock is a nanosecond", how, false},
    {"cpu-limit", 0, "PERCENT", "take fewer samples while profiling costs more than PERCENT of a CPU", how, false},
    {"per-thread", 0, "", "separate rows by thread, in pprof, json, speedscope and perf-script", how, false},
    {"per-cpu", 0, "", "separate rows by CPU, in the same formats", how, false},
    {"hash-storage-size", 0, "N", "entries of the kernel's histogram (default 40960 or fewer)", how, false},
    {"stack-storage-size", 0, "N", "entries of the kernel's stack map (default 16384 or fewer)", how, false},
    {"max-stack-depth", 0, "N", "the most frames of a stack (default 127); 256 where tables are used", how, false},
    {"unwind", 0, "HOW", "walk user stacks by tables (cfi), by frame pointers (fp), or by both (auto, default)", how,
     false, "", ways},
    {"languages", 0, "LIST", "show functions of scripts in (default all):", how, false, "", languages},
    {"list-languages", 0, "", "list the interpreters that run, and why the functions of some are not shown", how,
     false},

    {"user-stacks-only", 'U', "", "user stacks only", show, false},
    {"kernel-stacks-only", 'K', "", "kernel stacks only; not with -U", show, false},
    {"delimited", 'd', "", "a delimiter between kernel and user part; not with -U or -K", show, false},
    {"annotations", 'a', "", "_[k] after kernel frames, _[i] after inlined ones, _[s] after those of scripts (folded)",
     show, false},
    {"address", 'A', "", "addresses before frames, in the counted format", show, false},
    {"folded", 'f', "", "folded lines for flame graph tools, on stdout and in files of no known ending", show, false},
    {"residency", 'r', "", "shares of the samples of each process, where -f has folded lines", show, false},
    {"top", 0, "[N]", "a live view in the terminal; with N: the number of rows of each table (default 10)", show,
     false},
    {"format", 0, "NAME", "the format of all outputs, whatever the ending of their files", show, false, "", formats},

    {"modules", 0, "", "the module after each frame, in folded lines and tables", show, false},
    {"lines", 0, "", "source lines, and inlined functions as separate frames", show, false},
    {"sources", 0, "", "in pages, source and disassembly of the hottest functions near their hot lines", show, false},
    {"command-lines", 0, "", "processes by their whole command line, with its arguments, instead of their name", show,
     false},
    {"merge-processes", 0, "", "show all processes of one name as one, without a pid; not with --per-thread", show,
     false},

    {"debug-dir", 0, "DIR", "also look for debug files below DIR; may be repeated", names, true, "directories"},
    {"debuginfod", 0, "", "ask the debuginfod servers in DEBUGINFOD_URLS for debug files", names, false},
    {"symbol-budget", 0, "N", "read N times as much for names, at most 100 (default 1)", names, false},

    {"output", 'o', "FILE", "write to FILE (default - for stdout), in the format of its ending; may be repeated", write,
     true, "outputs"},
    {"interval", 'i', "SECONDS", "write a report every SECONDS, of this time only", write, false},
    {"stream", 0, "[=FORM]", "each sample as it comes, to the first -o:", write, false, "", stream_form_names},

    {"keep", 0, "N", "the N newest files of an -o with %Y%m%d-%H%M%S or %04d in its name; 24h: of a recording", write,
     false},
    {"max-size", 0, "SIZE", "the newest samples of a recording (-o FILE.db) that fit: 500M, 2G", write, false},
    {"film", 'E', "", "a flame graph as PNG every interval (default 1 second), for a film; sampled at 997 Hz", write,
     false},
    {"frames", 'g', "PATTERN", "the names of the film's pictures (default flamegraph%04d.png); implies -E", write,
     false, "files"},

    {"push", 0, "URL", "send a profile of each service to a server, every 10 seconds or -i; may be repeated", write,
     true},
    {"store", 0, "URL", "write samples by service to ClickHouse, likewise: clickhouse+http://HOST:8123/DATABASE", write,
     false},
    {"label", 0, "LABEL", "a label of what is pushed or stored, as NAME=VALUE; may be repeated", write, true},
    {"spool", 0, "DIR", "keep what is pushed or stored in DIR until the server has it, also for a later run", write,
     false, "directories"},
    {"spool-size", 0, "SIZE", "keep only the newest of it that fits (default 256M)", write, false},
    {"push-auth-file", 0, "FILE",
     "USER:PASSWORD, a token, or the password of the URL's user, in a file only for its owner", write, false, "files"},

    {"size", 0, "SIZE", "the size of PNG and SVG in pixels, as 1920x1080 (default 1280x720 for a film)", write, false},

    {"serve", 'T', "", "serve a page with live flame graphs, and /metrics for Prometheus", live, false},
    {"path", 'P', "PATH", "the path of the page (default /)", live, false},
    {"port", 'R', "PORT", "the port of the page (default 9090); 0: any free port", live, false},
    {"listen", 0, "ADDR", "the address of the page (default 127.0.0.1)", live, false},
    {"allow-host", 0, "NAME", "a host name of the page, or a pattern: *.example.org; may be repeated", live, true},

    {"config", 0, "FILE", "also take options from FILE, one per line: NAME=VALUE; those of the command line win", other,
     false, "files"},
    {"check", 0, "", "check the options, and those of --config, and do nothing", other, false},
    {"quiet", 'q', "", "no progress and no summary", other, false},
    {"verbose", 'v', "", "debug messages on stderr, with those of libbpf and the verifier", other, false},
    {"help", 'h', "", "this text; --help all: with the options that few runs need", other, false},
    {"version", 0, "", "the version", other, false},
    {"completion", 0, "SHELL", "print the script that completes these options in bash or zsh", other, false, "",
     completion_shells},

    {"from", 0, "TIME", "samples from TIME on: seconds after the first, or the clock (14:03:10; -1h: an hour ago)",
     other, false, "", nullptr, true},
    {"to", 0, "TIME", "samples before TIME, likewise", other, false, "", nullptr, true},
    {"a", 0, "TIMES", "of BEFORE only this part: 0:10 in seconds, or clock times as 14:03:10..14:05", other, false, "",
     nullptr, true},
    {"b", 0, "TIMES", "of AFTER only this part, likewise; with both, one recording is enough", other, false, "",
     nullptr, true},
    {"a-version", 0, "VERSION", "of a store, BEFORE is only this version: the beginning of a build-id or label", other,
     false, "", nullptr, true},
    {"b-version", 0, "VERSION", "AFTER, likewise; with both, one store is enough", other, false, "", nullptr, true},
    {"service", 0, "NAME", "of a store only this service, or services whose names begin so: NAME*", other, false, "",
     nullptr, true},
    {"host", 0, "NAME", "of a store only this host, or hosts: 'web-*'", other, false, "", nullptr, true},
    {"service-version", 0, "VERSION", "of a store only this version: the beginning of a build-id or label", other,
     false, "", nullptr, true},
    {"fail-above", 0, "SHARE", "exit status 3 if a function has certainly grown by more than that, as 2% of the total",
     other, false, "", nullptr, true},
    {"cluster", 0, "NAME", "make the tables on all servers of this cluster, and Distributed ones to read them", other,
     false, "", nullptr, true},
    {"ttl", 0, "DAYS", "remove samples and stacks that are older", other, false, "", nullptr, true},
    {"dry-run", 0, "", "print the statements, and change nothing", other, false, "", nullptr, true},
    {"source", 0, "FUNCTION", "on stdout the source and the code of this function, with the cost of each line", show,
     true, "", nullptr, true},
    {"focus", 0, "REGEX", "only stacks with a function whose name it matches; may be repeated", show, true, "", nullptr,
     true},
    {"hide", 0, "REGEX", "stacks without the frames that it matches; may be repeated", show, true, "", nullptr, true},
    {"collapse", 0, "RULE", "one frame for neighbours: recursion, lib:FILE or a REGEX; may be repeated", show, true, "",
     nullptr, true},
};

// Left out of --help, which should fit on two screens: what few runs need.
constexpr std::string_view rare[] = {
    "min-block-us",       "max-block-us",    "state",      "by-process", "category",   "cgroupmap",
    "mntnsmap",           "include-idle",    "per-thread", "per-cpu",    "delimited",  "hash-storage-size",
    "stack-storage-size", "max-stack-depth", "unwind",     "residency",  "address",    "annotations",
    "debug-dir",          "symbol-budget",   "keep",       "path",       "allow-host", "verbose",
    "completion",         "list-languages",  "config",     "check",      "label",      "spool",
    "spool-size",         "push-auth-file",  "size",       "cpu-limit",  "store"};

bool is_rare(const OptionRow& row) { return std::ranges::find(rare, row.long_name) != std::end(rare); }

}  // namespace

std::span<const OptionRow> option_rows() { return rows; }

std::span<const OptionRow> run_option_rows() {
  return {std::begin(rows), std::ranges::find(rows, true, &OptionRow::is_for_files)};  // the others stand at the end
}

const OptionRow& option_row(std::string_view long_name) {
  return *std::ranges::find(rows, long_name, &OptionRow::long_name);
}

std::string summary_of(const OptionRow& row) {
  std::string text(row.summary);
  if (row.choices == nullptr || !text.ends_with(':')) return text;
  return text + " " + joined(row.choices(), ", ", [](const Choice& choice) { return choice.word; });
}

std::string left_column(const OptionRow& row) {
  std::string text = "  ";
  text += row.short_name != 0 ? std::string{'-', row.short_name, ','} + " " : "    ";
  text += "--" + std::string(row.long_name);
  if (!row.argument.empty()) text += (row.argument.starts_with("[=") ? "" : " ") + std::string(row.argument);
  return text;
}

void print_help_line(std::ostream& out, const std::string& left, std::string_view summary) {
  constexpr std::size_t column = 32;
  out << left << std::string(left.size() < column ? column - left.size() : 1, ' ') << summary << '\n';
}

void print_formats(std::ostream& out) {
  out << "\nFormats:\n";
  for (const OutputFormat& format : output_formats()) {
    std::string left = "  " + std::string(format.name);
    if (!format.ending.empty()) left += "  (" + std::string(format.ending) + ")";
    print_help_line(out, left, format.summary);
  }
}

void print_usage_line(std::ostream& out) {
  out << "usage: profile";
  for (const Subcommand* const command : subcommands()) {
    if (command->is_run) out << " [" << command->name << ']';
  }
  out << " [options] [DURATION | -- COMMAND [ARG...]]";
  std::string_view arguments;  // of those before
  for (const Subcommand* const command : subcommands()) {
    if (command->is_run) continue;
    if (arguments.empty()) {
      out << " | profile ";
    } else if (command->arguments == arguments) {
      out << '|';
    } else {
      out << ' ' << arguments << " | ";
    }
    out << command->name;
    arguments = command->arguments;
  }
  out << ' ' << arguments << '\n';
}

void print_help(std::ostream& out, bool with_rare) {
  print_usage_line(out);
  out << R"(
Shows which functions use the CPUs, or with -e which ones wait, make system calls or allocate, and who calls them.
A run needs root. DURATION is in seconds, decimals are allowed; without it the run ends with Ctrl-C. With COMMAND:
run it, and sample it and its children until it exits. record keeps each sample with its time in a file; report shows
profiles of many formats, or parts of a recording; diff compares two.
)";
  std::string_view group;
  for (const OptionRow& row : run_option_rows()) {
    if (!with_rare && is_rare(row)) continue;
    if (row.group != group) out << '\n' << row.group << ":\n";
    group = row.group;
    print_help_line(out, left_column(row), summary_of(row));
  }
  if (!with_rare) out << "\nprofile --help all also names " << std::size(rare) << " options that few runs need.\n";
  print_formats(out);
  out << "\nForms of --stream:\n";
  for (const StreamForm& form : stream_forms()) print_help_line(out, "  " + std::string(form.name), form.summary);
  out << "\nExit status: 0 success, 1 could not profile, 2 wrong usage; with COMMAND its own (126, 127: it cannot "
         "run,\n"
         "128+N when a signal N killed it).\n"
         "\nExamples, as root:\n"
         "  profile -f 30 > out.folded      the whole machine for 30 seconds, ready for a flame graph\n"
         "  profile -F 199 -p 185 10        one process, 199 times a second\n"
         "  profile -o a.txt -o a.folded -- make -j2\n"
         "  profile -e off-cpu -p 185 10    where one process waits, and how long\n"
         "  profile -e syscalls 5           which system calls are made, how often and of what kind\n"
         "  profile -o out.html 30          a flame graph to look at in a browser\n"
         "  profile -T                      the same, live, at http://127.0.0.1:9090/\n"
         "  profile --top                   the same in the terminal\n"
         "  profile diff a.pb.gz b.pb.gz    what got slower\n";
}

}  // namespace profile
