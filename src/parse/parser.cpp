#include "parse/parser.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "children/patience.h"
#include "parse/allocator_functions.h"
#include "parse/answers_wire.h"
#include "parse/debug_file_search.h"
#include "parse/parser_calls.h"
#include "support/end_request.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// Looking for one name may need to demangle all names: a second for the largest programs, and some more.
constexpr std::uint64_t most_searching_ns = 5'000'000'000;
constexpr std::uint64_t root = 0;  // as owner of files
// The most places with one name, because static functions may share a name, and the most names for a suggestion.
constexpr std::size_t most_found = std::size_t{1} << 20;
constexpr unsigned most_bad_files = 3;  // of servers, until none is asked any more
constexpr std::size_t most_paths = 3;   // that are remembered for the user

// What it may cost to search the files of one user for places to probe: some seconds. This is done once, before the
// run.
constexpr std::uint64_t most_probing_steps = std::uint64_t{1} << 27;
constexpr double probing_whole_after_s = 600;

// What a question that took so long has cost at least.
std::uint64_t steps_of(std::uint64_t took_ns) { return took_ns / (2 * ChildWatch::most_ns_a_step); }

template <class... Values>
std::string question(ParserCall call, const FileRef& file, const Values&... values) {
  const MappedBy& by = file.mapped_by;
  return message_of(call, file.number, file.path, by.own_mounts && !has_own_root(by.tgid), values...);
}

}  // namespace

Parser::Parser(Keeper& keeper, Opener& opener, Fetcher* fetcher)
    : keeper_(keeper), opener_(opener), fetcher_(fetcher), probing_(most_probing_steps, probing_whole_after_s) {}

ParserLink* Parser::running_for(std::uint64_t owner) {
  auto place = std::ranges::find(places_, owner, &Place::owner);
  if (place == places_.end() && places_.size() < most_parsers) {
    const auto way = static_cast<WayNumber>(places_.size());
    places_.push_back({.link = ParserLink(keeper_, opener_, fetcher_, way), .owner = owner});
    place = places_.end() - 1;
  } else if (place == places_.end()) {
    place = std::ranges::min_element(places_, {}, &Place::last_use);
    place->link.end();
    place->owner = owner;
  }
  place->last_use = ++uses_;
  FileNumber offender = FileNumber::none;
  if (place->link.is_running(offender)) return &place->link;
  if (offender != FileNumber::none) blame({offender, {}}, false);
  if (is_missing_ && !start_again_.is_over()) return nullptr;
  is_missing_ = !place->link.start();
  if (!is_missing_) return &place->link;
  // Perhaps there is no room for a process just now. Each try may have to wait for a keeper that is stopped.
  start_again_ = Deadline(pause_before_start_);
  pause_before_start_ *= 2;
  return nullptr;
}

void Parser::blame(const AskedFile& file, bool is_stuck) {
  ++given_up_;
  if (file.number == FileNumber::none) return;
  if (given_up_paths_.size() < most_paths && !file.path.empty()) given_up_paths_.emplace(file.path);
  ended_.add(opener_.owner_of(file.number));
  if (is_stuck) opener_.distrust(file.number);
}

std::optional<std::string> Parser::ask(std::string_view words, const AskedFile& file, FileFault& failed,
                                       const AnswerLimits& limits) {
  using Ended = ParserLink::Ended;
  took_ns_ = 0;
  failed = is_end_pressing() ? FileFault::out_of_time : FileFault::parser_gave_up;
  if (failed == FileFault::out_of_time) return std::nullopt;
  const std::uint64_t owner = file.number != FileNumber::none ? opener_.owner_of(file.number) : root;
  if (ended_.are_too_many(owner)) return std::nullopt;
  bool was_repeated = false;
  bool may_fetch = true;
  bool is_plain = limits.may_be_plain && plain_files_.contains(file.number);
  for (;;) {
    ParserLink* const parser = running_for(owner);
    if (parser == nullptr) return std::nullopt;
    const FileNumber before = parser->turn_to(file.number);
    if (file.number != FileNumber::none) {
      const FileFault handed = opener_.hand(file.number, parser->way(), file.kind, meanwhile_);
      if (handed == FileFault::parser_gave_up && !std::exchange(was_repeated, true)) {
        parser->end();
        continue;
      }
      if (handed != FileFault::none) {
        failed = handed;
        return std::nullopt;
      }
    }
    AnswerLimits present_limits = limits;
    present_limits.may_fetch = may_fetch;
    ParserLink::Outcome outcome = parser->exchange(words, is_plain, present_limits, meanwhile_);
    // A user's file may make its parser wait on purpose; root's files wait for their disk.
    took_ns_ += owner == root ? outcome.ran_ns : outcome.took_ns;
    if (outcome.ended == Ended::answered) {
      if (is_plain) plain_files_.insert(file.number);
      return std::move(outcome.answer);
    }
    // If it hung while it closed the file before, or if something else ended it, a new parser may do better. This is
    // tried only once. A parser that demangles reads nothing that it could wait for, so something else has stopped it.
    const bool is_others = !outcome.has_begun && outcome.ended != Ended::broke_rules;
    const auto pid = parser->pid();
    const bool was_stopped = outcome.ended == Ended::stuck && (outcome.is_demangling || (pid && is_stopped(*pid)));
    const bool was_ended = outcome.ended == Ended::died || was_stopped;
    parser->end();
    if (outcome.ended == Ended::interrupted) {
      failed = FileFault::out_of_time;
      return std::nullopt;
    }
    // It may have been the server's file, for which nobody here can be blamed.
    if (outcome.is_served) {
      if (++fetcher_->bad_files == most_bad_files) fetcher_->give_up();
      may_fetch = false;
      continue;
    }
    if (is_others && before != FileNumber::none && !was_ended) opener_.distrust(before);
    if ((is_others || was_ended) && !std::exchange(was_repeated, true)) continue;
    const bool may_be_plain = limits.may_be_plain && outcome.is_demangling && outcome.ended != Ended::broke_rules;
    if (may_be_plain && !std::exchange(is_plain, true)) continue;
    blame(file, outcome.ended == Ended::stuck && !was_stopped);
    return std::nullopt;
  }
}

template <class Answer>
Answer Parser::answer_to(std::string_view words, const AskedFile& file, const AnswerLimits& limits, WorkBudget& budget,
                         std::optional<Answer> (*take)(WireReader&, std::size_t), std::size_t asked) {
  Answer nothing;
  const std::size_t given_up_before = given_up_;
  const auto answer = ask(words, file, nothing.failed, limits);
  if (!answer) {
    if (given_up_ != given_up_before) budget.take(budget.left());  // it may have cost any time
    return nothing;
  }
  WireReader in(*answer);
  // What the parser says is left of the budget, but never more than was left. Its time and the size of its answer,
  // which stays in memory, show what it has cost at least; the memory of unwind tables has a limit of its own.
  constexpr std::uint64_t steps_a_byte = std::is_same_v<Answer, UnwindOfFile> ? 0 : 16;
  const auto left = in.get<std::uint64_t>();
  const std::uint64_t said = budget.left() - std::min(left, budget.left());
  budget.take(std::max({said, steps_of(took_ns_), steps_a_byte * answer->size()}));
  auto read = take(in, asked);
  if (read && in.is_whole()) return std::move(*read);
  if (ParserLink* const parser = running_for(file.number != FileNumber::none ? opener_.owner_of(file.number) : root))
    parser->end();
  blame(file, false);
  budget.take(budget.left());
  nothing.failed = FileFault::parser_gave_up;
  return nothing;
}

NamesOfFile Parser::names(const FileRef& file, std::span<const FileOffset> offsets, WorkBudget& budget) {
  const std::string words = question(ParserCall::names, file, budget.left(), offsets);
  const AnswerLimits limits{
      .most_ns = std::max(ChildWatch::most_running_ns, budget.left() * ChildWatch::most_ns_a_step),
      .most_bytes = most_answer_bytes(ParserCall::names, offsets.size()),
      .may_be_plain = true};
  return answer_to(words, {file.number, file.path}, limits, budget, take_names, offsets.size());
}

NamesOfFile Parser::data_names(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) {
  const std::string words = question(ParserCall::data, file, budget.left(), addresses);
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::data, addresses.size()), .may_be_plain = true};
  return answer_to(words, {file.number, file.path}, limits, budget, take_names, addresses.size());
}

LinesOfFile Parser::lines(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) {
  const std::string words = question(ParserCall::lines, file, budget.left(), addresses);
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::lines, addresses.size()), .may_be_plain = true};
  return answer_to(words, {file.number, file.path}, limits, budget, take_lines, addresses.size());
}

UnwindOfFile Parser::unwind_table(const FileRef& file, WorkBudget& budget) {
  const std::string words = file.number != FileNumber::none ? question(ParserCall::unwind, file, budget.left())
                                                            : message_of(ParserCall::vdso_unwind, budget.left());
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::unwind, 0)};
  return answer_to(words, {file.number, file.path}, limits, budget, take_unwind, 0);
}

NamesOfFile Parser::vdso_names(std::span<const FileOffset> offsets) {
  WorkBudget none(0);
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::vdso, offsets.size()), .may_be_plain = true};
  return answer_to(message_of(ParserCall::vdso, offsets), {}, limits, none, take_names, offsets.size());
}

FileReader::JitMapRef Parser::jit_dump(FileNumber number) {
  const auto size_bytes = opener_.size_of(number);
  if (!size_bytes) return {};
  return {.number = number, .size_bytes = *size_bytes, .owner = opener_.owner_of(number), .is_dump = true};
}

FileReader::JitMapRef Parser::perf_map_of(std::uint32_t tgid, std::optional<std::uint32_t> last_user) {
  JitMapRef map;
  map.number = opener_.open_perf_map(tgid, last_user, map.size_bytes);
  map.owner = opener_.owner_of(map.number);
  return map;
}

NamesOfJit Parser::jit_names(std::uint32_t tgid, const JitMapRef& map, std::span<const RuntimeAddress> addresses,
                             WorkBudget& budget) {
  const std::string words = message_of(ParserCall::jit, map.number, tgid, map.is_dump, budget.left(), addresses);
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::jit, addresses.size())};
  const std::string path = map.is_dump ? "a jitdump" : "/tmp/perf-" + std::to_string(tgid) + ".map";
  const AskedFile file{map.number, path, map.is_dump ? FileKind::jit_dump : FileKind::perf_map};
  NamesOfJit names = answer_to(words, file, limits, budget, take_jit, addresses.size());
  if (!map.is_dump) opener_.leave_perf_map(tgid, map.number);
  return names;
}

std::vector<std::string> Parser::demangled(std::span<const std::string> names) {
  FileFault failed{};
  std::vector<std::string> as_they_are(names.begin(), names.end());
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::demangle, names.size())};
  const auto answer = ask(message_of(ParserCall::demangle, names), {}, failed, limits);
  if (!answer) return as_they_are;
  WireReader in(*answer);
  in.allow_elements(names.size());
  const auto demangled = in.get<std::vector<std::string>>();
  return in.is_whole() && demangled.size() == names.size() ? demangled : as_they_are;
}

void Parser::release_files() {
  for (Place& place : places_) place.link.release_files();
}

std::optional<std::string> Parser::ask_for_probes(std::string_view words, const FileRef& file, FileFault& failed,
                                                  const AnswerLimits& limits) {
  const std::uint64_t owner = opener_.owner_of(file.number);
  probing_.begin(owner);
  failed = FileFault::too_large;
  if (owner != root && probing_.budget().spent()) return std::nullopt;
  auto answer = ask(words, {file.number, file.path}, failed, limits);
  probing_.budget().take(steps_of(took_ns_));
  probing_.end();
  return answer;
}

std::optional<Parser::Searched> Parser::search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               FileFault& failed) {
  const std::string words = question(ParserCall::search, file, name, added);
  const AnswerLimits limits{.most_ns = most_searching_ns, .most_bytes = most_answer_bytes(ParserCall::search, 0)};
  const auto answer = ask_for_probes(words, file, failed, limits);
  if (!answer) return std::nullopt;
  failed = FileFault::malformed;
  WireReader in(*answer);
  in.allow_elements(most_found);
  const auto elf_class = in.get<std::uint8_t>();
  auto found = in.get<NameSearch>();
  if (!in.is_whole() || elf_class == 0) return std::nullopt;
  return Searched{.is_64bit = elf_class == 64, .found = std::move(found)};
}

std::vector<AllocatorFunction> Parser::allocator_functions(const FileRef& file) {
  FileFault failed{};
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::allocators, 0)};
  const auto answer = ask_for_probes(question(ParserCall::allocators, file), file, failed, limits);
  if (!answer) return {};
  WireReader in(*answer);
  in.allow_elements(most_allocator_functions);
  auto functions = in.get<std::vector<AllocatorFunction>>();
  return in.is_whole() ? std::move(functions) : std::vector<AllocatorFunction>();
}

CodeOfFile Parser::code(const FileRef& file, std::span<const AddressRange> ranges, WorkBudget& budget) {
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::code, ranges.size())};
  return answer_to(question(ParserCall::code, file, budget.left(), ranges), {file.number, file.path}, limits, budget,
                   take_code, ranges.size());
}

SourceOfFile Parser::source(const FileRef& file, const std::string& path, std::span<const LineRange> ranges,
                            WorkBudget& budget) {
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::source, ranges.size()), .source = path};
  return answer_to(question(ParserCall::source, file, budget.left(), path, ranges), {file.number, file.path}, limits,
                   budget, take_source, ranges.size());
}

SourceOfFile Parser::text(const FileRef& file, std::span<const LineRange> ranges, WorkBudget& budget) {
  const AnswerLimits limits{.most_bytes = most_answer_bytes(ParserCall::source, ranges.size())};
  const std::string itself;
  return answer_to(question(ParserCall::source, file, budget.left(), itself, ranges),
                   {file.number, file.path, FileKind::text}, limits, budget, take_source, ranges.size());
}

}  // namespace profile
