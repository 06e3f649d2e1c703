// Tests what a parser that a hostile file has taken over can cost the main process: time, work and memory.
#include "parse/parser.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "children/wire.h"
#include "dwarf/lines.h"
#include "hostile_parser.h"
#include "parse/allocator_functions.h"
#include "parse/answers_wire.h"
#include "parse/debug_file_search.h"
#include "parse/ended_parsers.h"
#include "parse/parser_calls.h"
#include "support/work_budget.h"

namespace profile {
namespace {

using std::chrono::milliseconds;
using test::HostileParser;

constexpr std::uint64_t user = 1000;
constexpr std::uint64_t most_steps = std::uint64_t{1} << 30;

// An answer to a question about one place. It says that it has cost nothing.
void answer_names(const WaitingChannel& main_process, const NamesOfFile& names) {
  main_process.send(message_of(ParserWord::begun));
  main_process.send(message_of(ParserWord::answer, most_steps, names));
}

NamesOfFile no_names() {
  NamesOfFile names;
  names.names.resize(1);
  names.names[0].unnamed = Unnamed::no_symbol;
  names.valid_ranges.resize(1);
  return names;
}

NamesOfFile ask_names(HostileParser& hostile, WorkBudget& budget, std::uint64_t owner = user) {
  const std::vector<FileOffset> offsets{{16}};
  return hostile.parser.names(hostile.file_of(owner), offsets, budget);
}

}  // namespace

TEST_CASE("a question that is given up costs its whole budget") {
  for (const std::string& answer : {message_of(ParserWord::answer, most_steps), message_of(std::uint8_t{200})}) {
    HostileParser hostile([answer](const WaitingChannel& main_process, WireReader&) { main_process.send(answer); });
    WorkBudget budget(most_steps);
    CHECK(ask_names(hostile, budget).failed == FileFault::parser_gave_up);
    CHECK(budget.spent());
    CHECK(hostile.parser.given_up() == 1);
  }
}

TEST_CASE("a user's parser pays for the time that it lets the main process wait") {
  HostileParser hostile([](const WaitingChannel& main_process, WireReader&) {
    std::this_thread::sleep_for(milliseconds(400));
    answer_names(main_process, no_names());
  });
  WorkBudget budget(most_steps);
  REQUIRE(ask_names(hostile, budget).failed == FileFault::none);
  // When this process stands still, it counts at least 200 ms.
  CHECK(most_steps - budget.left() >= 100'000'000 / (2 * ChildWatch::most_ns_a_step));
}

TEST_CASE("the names that a parser sends are paid for by their size") {
  constexpr std::size_t bytes = 60'000;
  HostileParser hostile([](const WaitingChannel& main_process, WireReader&) {
    NamesOfFile names = no_names();
    names.strings.intern(std::string(bytes, 'x'));
    answer_names(main_process, names);
  });
  WorkBudget budget(most_steps);
  REQUIRE(ask_names(hostile, budget, 0).failed == FileFault::none);  // root's parser pays for no waiting
  CHECK(most_steps - budget.left() >= 16 * bytes);
}

TEST_CASE("a parser that says again and again that it demangles gets no more time to wait") {
  constexpr int remarks = 90;
  HostileParser hostile([](const WaitingChannel& main_process, WireReader&) {
    main_process.send(message_of(ParserWord::begun));
    for (int i = 0; i < remarks; ++i) {
      main_process.send(message_of(ParserWord::demangles, std::uint32_t{0}));
      std::this_thread::sleep_for(milliseconds(300));
    }
    main_process.send(message_of(ParserWord::answer, std::vector<AllocatorFunction>(1)));
  });
  CHECK(hostile.parser.allocator_functions(hostile.file_of(user)).empty());
  CHECK(hostile.parser.given_up() == 1);
}

TEST_CASE("a parser gets no source but the one that it was asked about") {
  HostileParser hostile([](const WaitingChannel& main_process, WireReader& question) {
    question.one_of(ParserCall::count);
    const auto number = question.get<std::uint64_t>();
    main_process.send(message_of(ParserWord::wants, DebugQuestion::Kind::source, "/etc/shadow", number, 0U));
    static_cast<void>(main_process.receive());
    answer_names(main_process, no_names());
  });
  WorkBudget budget(most_steps);
  CHECK(ask_names(hostile, budget).failed == FileFault::parser_gave_up);
  CHECK(hostile.parser.given_up() == 1);
  WorkBudget more(most_steps);
  const std::vector<LineRange> lines{{.first = 1, .last = 9}};
  CHECK(hostile.parser.source(hostile.file_of(user + 1), "/src/a.c", lines, more).failed == FileFault::parser_gave_up);
  CHECK(hostile.parser.given_up() == 2);
}

TEST_CASE("a listing has no more instructions and lines than there can be") {
  for (const std::size_t more : {0, 1}) {
    HostileParser hostile([more](const WaitingChannel& main_process, WireReader& question) {
      if (question.one_of(ParserCall::count) == ParserCall::code) {
        CodeOfFile code;
        code.instructions.resize(most_instructions + more);
        main_process.send(message_of(ParserWord::answer, most_steps, code));
      } else {
        SourceOfFile source;
        source.lines.resize(most_source_lines + more);
        main_process.send(message_of(ParserWord::answer, most_steps, source));
      }
    });
    WorkBudget budget(most_steps);
    const FileFault expected = more == 0 ? FileFault::none : FileFault::parser_gave_up;
    CHECK(hostile.parser.code(hostile.file_of(user), {}, budget).failed == expected);
    WorkBudget another(most_steps);
    CHECK(hostile.parser.source(hostile.file_of(user + 1), "/src/a.c", {}, another).failed == expected);
  }
}

TEST_CASE("an answer has no more functions of an allocator than there can be") {
  for (const std::size_t more : {0, 1}) {
    HostileParser hostile([more](const WaitingChannel& main_process, WireReader&) {
      main_process.send(
          message_of(ParserWord::answer, std::vector<AllocatorFunction>(most_allocator_functions + more)));
    });
    const auto functions = hostile.parser.allocator_functions(hostile.file_of(user));
    CHECK(functions.size() == (more == 0 ? most_allocator_functions : 0));
  }
}

TEST_CASE("a user's files are no longer searched for probes when that has taken long") {
  HostileParser hostile([](const WaitingChannel& main_process, WireReader&) {
    for (int i = 0; i < 5; ++i) {  // it wakes up, so that it does not count as stuck
      std::this_thread::sleep_for(milliseconds(200));
    }
    main_process.send(message_of(ParserWord::answer, std::vector<AllocatorFunction>(1)));
  });
  int answered = 0;
  constexpr int most = 40;
  while (answered < most && !hostile.parser.allocator_functions(hostile.file_of(user)).empty()) ++answered;
  CHECK(answered > 0);
  CHECK(answered < most);
  CHECK(hostile.parser.given_up() == 0);
  CHECK_FALSE(hostile.parser.allocator_functions(hostile.file_of(0)).empty());
}

TEST_CASE("an answer has no longer chain of inlined functions than a file can give") {
  for (const std::size_t more : {0, 1}) {
    LinesOfFile lines;
    lines.chains.assign(1, std::vector<SourcePosition>(max_inlining + 1 + more));
    const std::string message = message_of(lines);
    WireReader in(message);
    CHECK(take_lines(in, 1).has_value() == (more == 0));
  }
}

TEST_CASE("a chain whose names are too long together loses the innermost functions") {
  LinesOfFile lines;
  const StringId longest = lines.strings.intern(std::string(WireReader::most_text_bytes, 'x'));
  const StringId outermost = lines.strings.intern("main");
  lines.chains.assign(1, std::vector<SourcePosition>(200, {.function = longest, .file = longest, .line = 1}));
  lines.chains[0].push_back({.function = outermost, .file = StringId::empty, .line = 2});
  const std::string message = message_of(lines);
  WireReader in(message);
  const auto taken = take_lines(in, 1);
  REQUIRE(taken);
  REQUIRE(taken->chains[0].size() == 2);
  CHECK(taken->strings.view(taken->chains[0][1].function) == "main");
}

TEST_CASE("owners beyond the limit are counted as one") {
  EndedParsers ended;
  for (std::uint64_t owner = 1; owner <= EndedParsers::most_owners; ++owner) ended.add(owner);
  CHECK_FALSE(ended.are_too_many(1));
  for (unsigned i = 1; i < EndedParsers::most_by_owner; ++i) ended.add(1);
  CHECK(ended.are_too_many(1));
  CHECK_FALSE(ended.are_too_many(2));
  // A user with many numbers takes the names from nobody else.
  constexpr std::uint64_t more = EndedParsers::most_owners + 1;
  for (unsigned i = 0; i < 100 * EndedParsers::most_by_owner; ++i) ended.add(more + i);
  CHECK_FALSE(ended.are_too_many(more));
  CHECK_FALSE(ended.are_too_many(more + 100'000));
  CHECK(ended.are_too_many(1));
  for (unsigned i = 0; i < EndedParsers::most_by_owner; ++i) ended.add(0);
  CHECK_FALSE(ended.are_too_many(0));
}

}  // namespace profile
