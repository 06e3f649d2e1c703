// Tests the command line: what each option sets, and which options exclude each other.
// An error must name the option and the value.
#include "app/options.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "abi/script.h"
#include "options_words.h"

using namespace profile;

namespace {

// Expects an error that names the option and the value. `called`: the name in the error, if it is not `option`.
void refused(const char* option, const char* value, const char* called = nullptr) {
  const std::string text = error_of({option, value});
  CHECK_MESSAGE(text.find(called != nullptr ? called : option) != std::string::npos,
                option << ' ' << value << ": " << text);
  CHECK_MESSAGE(text.find(value) != std::string::npos, option << ' ' << value << ": " << text);
}

void excluded(const Words& words, const char* one, const char* other) {
  const std::string text = error_of(words);
  CHECK_MESSAGE(text.find(one) != std::string::npos, one << " with " << other << ": " << text);
  CHECK_MESSAGE(text.find(other) != std::string::npos, one << " with " << other << ": " << text);
}

std::string format_of(const Words& words, std::size_t which = 0) {
  return std::string(parsed(words).outputs.at(which).format->name);
}

}  // namespace

TEST_CASE("what a run leaves out is told by its filters, and the debuginfod servers without passwords") {
  const auto info = [](const Words& words) {
    const Options options = parsed(words);
    return options.run_info(options.events.front());
  };
  using Kinds = std::vector<std::string>;
  CHECK(info({}).left_out == Kinds{"the profiler itself"});
  CHECK(info({"-p", "7"}).left_out.empty());
  CHECK(info({"--cgroup", "/a", "-e", "off-cpu", "--state", "preempted", "--min-block-us", "5"}).left_out ==
        Kinds{"other cgroups", "waits in other states", "shorter waits"});
  CHECK(info({"-e", "syscalls", "--category", "network"}).left_out == Kinds{"other system calls"});
  CHECK(info({"-e", "malloc", "--live", "-p", "7"}).left_out == Kinds{"memory that was freed"});
  ::setenv("DEBUGINFOD_URLS", "https://me:secret@debug.example.org/buildid  http://[::1]:8002 nonsense", 1);
  CHECK(info({"--debuginfod"}).debuginfod == "https://debug.example.org, http://[::1]:8002");
  CHECK(info({}).debuginfod.empty());
  ::unsetenv("DEBUGINFOD_URLS");
}

TEST_CASE("a run without arguments samples everything until Ctrl-C, with the default values") {
  const Options options = parsed({});
  CHECK(options.events.front().name == "cpu-clock");
  CHECK(!options.sampling.frequency_hz);
  CHECK(!options.sampling.period_events);
  CHECK(options.sampling.histogram_entries == 40960);
  CHECK(options.sampling.stack_entries == 16384);
  CHECK(options.sampling.max_stack_depth == 127);
  CHECK(options.sampling.walk_depth == 256);
  CHECK(options.sampling.unwinding == Unwinding::automatic);
  CHECK(options.sampling.user_stacks);
  CHECK(options.sampling.kernel_stacks);
  CHECK_FALSE(options.sampling.include_idle);
  CHECK_FALSE(options.sampling.follow_children);
  CHECK(options.sampling.tgids.empty());
  CHECK(options.sampling.tids.empty());
  CHECK(options.sampling.cpus.empty());
  CHECK_FALSE(options.duration_s);
  CHECK_FALSE(options.interval_s);
  CHECK(options.command.empty());
  CHECK_FALSE(options.symbols.lines);
  CHECK_FALSE(options.symbols.debuginfod);
  CHECK(options.symbols.budget == 1);
  CHECK_FALSE(options.output.show_modules);
  REQUIRE(options.outputs.size() == 1);
  CHECK(options.outputs[0].path == "-");
  CHECK(options.outputs[0].format->name == "counted");
}

TEST_CASE("a duration can have decimals") {
  CHECK(parsed({"5"}).duration_s == 5.0);
  CHECK(parsed({"0.5"}).duration_s == 0.5);
  CHECK(parsed({"-i", "0.25", "2"}).interval_s == 0.25);
}

TEST_CASE("an invalid duration is refused with its text") {
  for (const char* value : {"0", "0.0", "1x", "1,5", "1e10", ""}) {
    CHECK_MESSAGE(error_of({value}).starts_with("duration " + std::string(value)), value);
  }
  CHECK(error_of({"1", "5"}).starts_with("5: "));
  for (const char* word : {"abc", "inf", "nan"}) {
    CHECK_MESSAGE(error_of({word}).starts_with(std::string(word) + ": neither a duration nor a subcommand"), word);
  }
}

TEST_CASE("process and thread ids come from every occurrence of the option, sorted and unique") {
  CHECK(parsed({"-p", "3,1", "--pid", "2,3"}).sampling.tgids == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(parsed({"-L", "7"}).sampling.tids == std::vector<std::uint32_t>{7});
  CHECK(parsed({"-p4194304"}).sampling.tgids == std::vector<std::uint32_t>{4194304});
}

TEST_CASE("invalid ids are refused with the option's name") {
  for (const char* value :
       {"abc", "0", "-1", "1x", "1.5", "1,", ",1", "1,,2", "1 2", "+1", "0x1", "4194305", "4294967297"}) {
    refused("-p", value);
    refused("--pid", value, "-p");
    refused("-L", value);
    refused("--tid", value, "-L");
  }
}

TEST_CASE("the CPUs are a list, and the typed text is kept") {
  const Options options = parsed({"-C", "0,2-3"});
  CHECK(options.sampling.cpus == CpuList{0, 2, 3});
  CHECK(options.cpus_typed == "0,2-3");
  for (const char* value : {"abc", "-1", ",", "0,", "1-", "-3", "3-2", "0-99999999", "0 1", "0.5"})
    refused("-C", value);
}

TEST_CASE("an event count replaces the frequency") {
  CHECK(parsed({"-F", "997"}).sampling.frequency_hz == 997);
  const Options options = parsed({"-c", "1000000"});
  CHECK(options.sampling.period_events == 1000000);
  CHECK(!options.sampling.frequency_hz);
}

TEST_CASE("invalid, zero and too large numbers are refused with the option's name") {
  const char* const values[] = {"abc", "0", "-1", "1.5", "1e3", "0x10", " 1", "99999999999999999999999"};
  for (const char* option : {"-F", "-c", "--hash-storage-size", "--stack-storage-size", "--max-stack-depth"}) {
    for (const char* value : values) refused(option, value);
  }
  refused("--frequency", "0", "-F");
  refused("--hash-storage-size", "67108865");
  refused("--max-stack-depth", "65537");
  for (const char* value : {"abc", "0", "-1", "inf", "nan", "1x"}) refused("-i", value);
  CHECK(parsed({"--max-stack-depth", "65536"}).sampling.max_stack_depth == 65536);
  CHECK(parsed({"--max-stack-depth", "65536"}).sampling.walk_depth == 512);
  CHECK(parsed({"--max-stack-depth", "12"}).sampling.walk_depth == 12);
}

TEST_CASE("--languages is a list of known languages, or none") {
  constexpr std::uint32_t python = 1U << SCRIPT_PYTHON;
  constexpr std::uint32_t php = 1U << SCRIPT_PHP;
  constexpr std::uint32_t ruby = 1U << SCRIPT_RUBY;
  constexpr std::uint32_t perl = 1U << SCRIPT_PERL;
  constexpr std::uint32_t node = 1U << SCRIPT_NODE;
  constexpr std::uint32_t java = 1U << SCRIPT_JAVA;
  CHECK(parsed({}).sampling.languages == (python | php | ruby | perl | node | java));
  CHECK(parsed({"--languages", "php,python"}).sampling.languages == (python | php));
  CHECK(parsed({"--languages", "python"}).sampling.languages == python);
  CHECK(parsed({"--languages", "none"}).sampling.languages == 0);
  for (const char* value : {"", "python,", ",", "cobol", "python,none", "Python"}) refused("--languages", value);
  CHECK(parsed({"--list-languages"}).list_languages);
}

TEST_CASE("the value of --unwind is one of three words") {
  CHECK(parsed({"--unwind", "auto"}).sampling.unwinding == Unwinding::automatic);
  CHECK(parsed({"--unwind", "cfi"}).sampling.unwinding == Unwinding::tables);
  CHECK(parsed({"--unwind=fp"}).sampling.unwinding == Unwinding::frame_pointers);
  for (const char* value : {"", "dwarf", "CFI", "0"}) refused("--unwind", value);
  CHECK(parsed({"--unwind", "cfi", "-e", "syscalls"}).sampling.unwinding == Unwinding::tables);
}

TEST_CASE("an empty value is refused with the option's name") {
  for (const char* option :
       {"-p", "-L", "-C", "-F", "-c", "-i", "-o", "--cgroup", "--cgroupmap", "--mntnsmap", "--format", "--debug-dir"}) {
    CHECK_MESSAGE(error_of({option, ""}).find(option) != std::string::npos, option << ": " << error_of({option, ""}));
  }
}

TEST_CASE("options that exclude each other are refused by name") {
  excluded({"-p", "1", "-L", "1"}, "-p", "-L");
  excluded({"-F", "49", "-c", "1000"}, "-F", "-c");
  excluded({"-U", "-K"}, "-U", "-K");
  excluded({"-d", "-U"}, "-d", "-U");
  excluded({"-d", "-K"}, "-d", "-K");
  excluded({"-q", "-v"}, "-q", "-v");
  excluded({"-f", "-r"}, "-f", "-r");
  excluded({"-f", "--format", "folded"}, "-f", "--format");
  excluded({"-p", "1", "--", "true"}, "-p", "command");
  excluded({"-L", "1", "--", "true"}, "-L", "command");
  excluded({"3", "--", "true"}, "3", "command");
}

TEST_CASE("unknown options, options without a value and repeated options are refused") {
  CHECK(error_of({"--nonsense"}).find("--nonsense") != std::string::npos);
  CHECK(error_of({"-z"}).find('z') != std::string::npos);
  CHECK(error_of({"-F"}).find("--frequency") != std::string::npos);
  CHECK(error_of({"--folded=yes"}).find("--folded") != std::string::npos);
  CHECK(error_of({"-F", "49", "-F", "99"}).find("--frequency") != std::string::npos);
}

TEST_CASE("options after the command belong to the command") {
  const Options options = parsed({"-f", "--", "ls", "-p", "--", "-h"});
  CHECK(options.command == std::vector<std::string>{"ls", "-p", "--", "-h"});
  CHECK(options.sampling.follow_children);
  CHECK(options.sampling.tgids.empty());
  CHECK_FALSE(options.help);
  CHECK_FALSE(error_of({"--"}).empty());
}

TEST_CASE("the format of a file comes from its ending, else from -f or -r, else it is the default") {
  CHECK(format_of({"-f"}) == "folded");
  CHECK(format_of({"-r"}) == "residency");
  CHECK(format_of({"-o", "x.folded"}) == "folded");
  CHECK(format_of({"-o", "x.residency"}) == "residency");
  CHECK(format_of({"-o", "x"}) == "counted");
  CHECK(format_of({"-f", "-o", "x"}) == "folded");
  CHECK(format_of({"-f", "-o", "x.txt"}) == "counted");
  CHECK(format_of({"-r", "-o", "x.folded"}) == "folded");
  CHECK(format_of({"-o", "folded"}) == "counted");
  for (const char* bare : {"a.d/x", ".hidden", "x.", "cpu.2", "cpu.%H%M"}) CHECK(format_of({"-o", bare}) == "counted");
}

TEST_CASE("an unknown ending is refused, unless another option names the format") {
  for (const char* path : {"x.sgv", "d/x.svgs", "x.svg2", "x.%d.SGV"}) {
    const std::string text = error_of({"-o", path});
    CHECK(text.find("-o " + std::string(path)) != std::string::npos);
    CHECK(text.find(".svg") != std::string::npos);
    CHECK(text.find("--format") != std::string::npos);
  }
  CHECK(format_of({"-f", "-o", "x.sgv"}) == "folded");
  CHECK(format_of({"-r", "-o", "x.out"}) == "residency");
  CHECK(format_of({"--format", "svg", "-o", "x.picture"}) == "svg");
  CHECK(parsed({"--stream=json", "-o", "x.log"}).stream_path == "x.log");
}

TEST_CASE("the option --format overrides every ending") {
  CHECK(format_of({"--format", "folded", "-o", "x.txt", "-o", "-"}, 0) == "folded");
  CHECK(format_of({"--format", "folded", "-o", "x.txt", "-o", "-"}, 1) == "folded");
  const std::string text = error_of({"--format", "pdf"});
  for (const OutputFormat& format : output_formats()) CHECK(text.find(format.name) != std::string::npos);
  CHECK(text.find("--format pdf") != std::string::npos);
}

TEST_CASE("outputs keep their order, and each file is written once") {
  const Options options = parsed({"-o", "b.folded", "-o", "-", "-o", "a.txt"});
  REQUIRE(options.outputs.size() == 3);
  CHECK(options.outputs[0].path == "b.folded");
  CHECK(options.outputs[1].path == "-");
  CHECK(options.outputs[2].path == "a.txt");
  CHECK(error_of({"-o", "a", "-o", "a"}).find("-o a") != std::string::npos);
}

TEST_CASE("each switch sets its own field") {
  CHECK(parsed({"-I"}).sampling.include_idle);
  CHECK_FALSE(parsed({"-U"}).sampling.kernel_stacks);
  CHECK(parsed({"-U"}).sampling.user_stacks);
  CHECK_FALSE(parsed({"-K"}).sampling.user_stacks);
  CHECK(parsed({"-K"}).sampling.kernel_stacks);
  CHECK(parsed({"-d"}).output.delimited);
  CHECK(parsed({"-a"}).output.annotate);
  CHECK(parsed({"-A"}).output.show_addresses);
  CHECK(parsed({"--modules"}).output.show_modules);
  CHECK(parsed({"--lines"}).symbols.lines);
  CHECK(parsed({"--debuginfod"}).symbols.debuginfod);
  CHECK(parsed({"--symbol-budget", "100"}).symbols.budget == 100);
  CHECK(parsed({"-q"}).quiet);
  CHECK(parsed({"-v"}).verbose);
  CHECK(parsed({"--cgroup", "/a"}).sampling.cgroup_path == "/a");
  CHECK(parsed({"--cgroupmap", "/b"}).sampling.cgroup_map_path == "/b");
  CHECK(parsed({"--mntnsmap", "/c"}).sampling.mntns_map_path == "/c");
  CHECK(parsed({"--comm", "a b", "--comm", "c*"}).sampling.names == std::vector<std::string>{"a b", "c*"});
  CHECK(parsed({"--debug-dir", "/d", "--debug-dir", "/e"}).symbols.debug_directories ==
        std::vector<std::string>{"/d", "/e"});
}

TEST_CASE("the options --help and --version ignore other arguments") {
  CHECK(parsed({"-h", "-p", "abc"}).help);
  CHECK(parsed({"--version", "-F", "0"}).version);
}

TEST_CASE("every option is in the help, and every name is unique in the table") {
  std::ostringstream help;
  print_help(help, true);
  std::set<std::string_view> long_names;
  std::set<char> short_names;
  for (const OptionRow& row : option_rows()) {
    CHECK(long_names.insert(row.long_name).second);
    if (row.short_name != 0) CHECK(short_names.insert(row.short_name).second);
    const std::string word = "--" + std::string(row.long_name);
    if (row.is_for_files) {
      CHECK(error_of({word.c_str(), "1"}).find("report") != std::string::npos);
      continue;
    }
    CHECK_MESSAGE(help.str().find(word) != std::string::npos, row.long_name);
  }
}
