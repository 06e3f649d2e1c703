#include "parse/parser.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "parse/answers_wire.h"
#include "parse/debug_file_search.h"
#include "parse/parser_calls.h"
#include "parse/patience.h"
#include "support/fd.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// Demangling a name takes microseconds, but a short name can be made to take for ever.
constexpr std::uint64_t most_demangling_ns = 200'000'000;
constexpr std::uint64_t most_demangling_one_ns = 100'000;
// Looking for one name may need to demangle all names: a second for the largest programs, and some more.
constexpr std::uint64_t most_searching_ns = 5'000'000'000;
// The most debug files for one question: as many as the largest programs that split theirs have, and more.
constexpr std::size_t most_wanted = 20'000;
constexpr std::chrono::seconds most_fetching{130};  // from a debuginfod server; the fetcher has a patience of its own

template <class... Values>
std::string question(ParserCall call, const FileRef& file, const Values&... values) {
  const MappedBy& by = file.mapped_by;
  return message_of(call, file.number, file.path, by.own_mounts && !has_own_root(by.tgid), values...);
}

}  // namespace

Parser::Parser(Keeper& keeper, Opener& opener, Channel* fetcher)
    : keeper_(keeper), opener_(opener), fetcher_(fetcher) {}

bool Parser::start() {
  std::vector<Fd> ends;
  ends.push_back(opener_.new_way(Taker::parser));
  if (fetcher_ != nullptr) {
    auto [from, to] = new_socket_pair();
    std::vector<Fd> fetcher_end;
    fetcher_end.push_back(std::move(from));
    fetcher_->send({}, std::move(fetcher_end));
    ends.push_back(std::move(to));
  }
  auto child = keeper_.start(ChildKind::parser, std::move(ends));
  is_missing_ = !child;
  if (is_missing_) return false;
  pid_ = child->pid;
  channel_.emplace(std::move(child->channel));
  return true;
}

// A process that hangs in the kernel ends only when what it waits for ends. This does not wait for that.
void Parser::give_up() {
  if (pid_) ::kill(*pid_, SIGKILL);
  pid_.reset();
  channel_.reset();
  close_debug_files();
}

void Parser::close_debug_files() {
  for (const std::uint64_t number : debug_files_) opener_.close(number);
  debug_files_.clear();
}

std::optional<std::string> Parser::ask(std::string_view words, std::uint64_t file, Unnamed& failed,
                                       const AnswerLimits& limits) {
  failed = Unnamed::parser_gave_up;
  const std::uint64_t before = std::exchange(at_file_, file);
  if (before != file) close_debug_files();
  bool was_repeated = false;
  bool is_plain = limits.may_be_plain && plain_files_.contains(file);
  for (;;) {
    // The parser may have ended while it had no question.
    if (channel_ && (channel_->take() || channel_->is_gone())) give_up();
    if (!channel_ && (is_missing_ || !start())) return std::nullopt;
    if (file != 0) {
      const Unnamed handed = opener_.hand(file, Taker::parser);
      if (handed == Unnamed::parser_gave_up && !std::exchange(was_repeated, true)) {
        give_up();
        continue;
      }
      if (handed != Unnamed::named) {
        failed = handed;
        return std::nullopt;
      }
    }
    if (is_plain) channel_->send(message_of(ParserCall::plainly));
    channel_->send(words);
    Waited waited = wait(file, limits);
    if (waited.ended == Ended::answered) {
      if (is_plain) plain_files_.insert(file);
      return std::move(waited.answer);
    }
    // If it hung while it closed the file before, or if something else ended it, a new parser may do better. This is
    // tried only once. A parser that demangles reads nothing that it could wait for, so something else has stopped it.
    const bool is_others = !waited.has_begun;
    const bool was_stopped = waited.ended == Ended::stuck && (waited.is_demangling || is_stopped(*pid_));
    const bool was_ended = waited.ended == Ended::died || was_stopped;
    give_up();
    if (is_others && before != 0 && !was_ended) opener_.distrust(before);
    if ((is_others || was_ended) && !std::exchange(was_repeated, true)) continue;
    if (limits.may_be_plain && waited.is_demangling && !std::exchange(is_plain, true)) continue;
    if (file != 0 && !was_ended) opener_.distrust(file);
    break;
  }
  ++given_up_;
  return std::nullopt;
}

Parser::Waited Parser::wait(std::uint64_t file, const AnswerLimits& limits) {
  Waited waited{.has_begun = file == 0, .answer = {}};
  const auto ended = [&waited](Ended how) {
    waited.ended = how;
    return std::move(waited);
  };
  ChildWatch whole(*pid_, limits.most_ns);
  ChildWatch part = whole;
  std::size_t wanted = 0;
  for (;;) {
    while (const auto message = channel_->take()) {
      WireReader in(message->bytes);
      const auto word = in.one_of(ParserWord::count);
      switch (word) {
        case ParserWord::begun:
          waited.has_begun = true;
          break;
        case ParserWord::demangles:
          waited.is_demangling = true;
          if (whole.look() == ChildWatch::Finding::too_long) return ended(Ended::too_long);
          part = ChildWatch(
              *pid_, std::min(most_demangling_ns + in.get<std::uint32_t>() * most_demangling_one_ns, limits.most_ns));
          break;
        case ParserWord::wants:
        case ParserWord::wants_served:
          if (!in.ok() || ++wanted > most_wanted) return ended(Ended::too_long);
          if (word == ParserWord::wants)
            supply(in, file);
          else
            fetch(in);
          part = ChildWatch(*pid_, limits.most_ns);  // it has waited for this process
          break;
        case ParserWord::answer:
          waited.answer = message->bytes.substr(sizeof(ParserWord));
          return ended(Ended::answered);
        case ParserWord::count:
          return ended(Ended::died);
      }
    }
    if (channel_->is_gone()) return ended(Ended::died);
    if (channel_->wait(ChildWatch::look_every)) continue;
    const ChildWatch::Finding finding = part.look();
    if (finding == ChildWatch::Finding::stuck) return ended(Ended::stuck);
    if (finding == ChildWatch::Finding::too_long || whole.look() == ChildWatch::Finding::too_long) {
      return ended(Ended::too_long);
    }
  }
}

// The parser wants a debug file. It gets only debug files of the file in question, or of a debug file of that file.
void Parser::supply(WireReader& in, std::uint64_t file) {
  DebugQuestion question;
  std::uint64_t base = 0;
  unsigned next = 0;
  in.read(question.kind, question.text, base, next);
  const bool is_its_own = base == file || debug_files_.contains(base);
  std::string why;
  const std::uint64_t number = opener_.new_number();
  const bool is_found =
      in.ok() && is_its_own && opener_.open_debug(number, base, question, next, why) == Unnamed::named;
  if (is_found) debug_files_.insert(number);
  channel_->send(message_of(ParserCall::supplied, is_found, number, next, why));
}

void Parser::fetch(WireReader& in) {
  const auto build_id = in.get<std::string>();
  const std::uint64_t number = opener_.new_number();
  bool is_found = false;
  if (fetcher_ != nullptr && in.ok()) {
    fetcher_->send(message_of(number, build_id));
    const auto message = fetcher_->receive(most_fetching);
    is_found = message && WireReader(message->bytes).get<bool>();
  }
  channel_->send(message_of(ParserCall::supplied, is_found, number, 0U, ""));
}

template <class Answer>
Answer Parser::answer_to(std::string_view words, std::uint64_t file, const AnswerLimits& limits, WorkBudget& budget,
                         std::optional<Answer> (*take)(WireReader&, std::size_t), std::size_t asked) {
  Answer nothing;
  const auto answer = ask(words, file, nothing.failed, limits);
  if (!answer) return nothing;
  WireReader in(*answer);
  // What the parser says is left of the budget, but never more than was left.
  const auto left = in.get<std::uint64_t>();
  budget.take(budget.left() - std::min(left, budget.left()));
  auto read = take(in, asked);
  if (read && in.is_whole()) return std::move(*read);
  give_up();
  nothing.failed = Unnamed::parser_gave_up;
  return nothing;
}

NamesOfFile Parser::names(const FileRef& file, std::span<const FileOffset> offsets, WorkBudget& budget) {
  const std::string words = question(ParserCall::names, file, budget.left(), offsets);
  const std::uint64_t most_ns = std::max(ChildWatch::most_running_ns, budget.left() * ChildWatch::most_ns_a_step);
  return answer_to(words, file.number, {.most_ns = most_ns, .may_be_plain = true}, budget, take_names, offsets.size());
}

LinesOfFile Parser::lines(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) {
  const std::string words = question(ParserCall::lines, file, budget.left(), addresses);
  return answer_to(words, file.number, AnswerLimits{.may_be_plain = true}, budget, take_lines, addresses.size());
}

UnwindOfFile Parser::unwind_table(const FileRef& file, WorkBudget& budget) {
  const std::string words = file.number != 0 ? question(ParserCall::unwind, file, budget.left())
                                             : message_of(ParserCall::vdso_unwind, budget.left());
  return answer_to(words, file.number, AnswerLimits{}, budget, take_unwind, 0);
}

NamesOfFile Parser::vdso_names(std::span<const FileOffset> offsets) {
  WorkBudget none(0);
  const AnswerLimits limits{.may_be_plain = true};
  return answer_to(message_of(ParserCall::vdso, offsets), 0, limits, none, take_names, offsets.size());
}

FileReader::JitMapRef Parser::jit_dump(std::uint64_t number) {
  const auto size_bytes = opener_.size_of(number);
  if (!size_bytes) return {};
  return {.number = number, .size_bytes = *size_bytes, .is_dump = true};
}

FileReader::JitMapRef Parser::perf_map_of(std::uint32_t tgid) {
  JitMapRef map;
  map.number = opener_.open_perf_map(tgid, map.size_bytes);
  return map;
}

NamesOfJit Parser::jit_names(std::uint32_t tgid, const JitMapRef& map, std::span<const RuntimeAddress> addresses,
                             WorkBudget& budget) {
  const std::string words = message_of(ParserCall::jit, map.number, tgid, map.is_dump, budget.left(), addresses);
  NamesOfJit names = answer_to(words, map.number, AnswerLimits{}, budget, take_jit, addresses.size());
  if (!map.is_dump) opener_.leave_perf_map(tgid, map.number);
  return names;
}

std::vector<std::string> Parser::demangled(std::span<const std::string> names) {
  Unnamed failed{};
  std::vector<std::string> as_they_are(names.begin(), names.end());
  const auto answer = ask(message_of(ParserCall::demangle, names), 0, failed, {});
  if (!answer) return as_they_are;
  WireReader in(*answer);
  const auto demangled = in.get<std::vector<std::string>>();
  return in.is_whole() && demangled.size() == names.size() ? demangled : as_they_are;
}

void Parser::rest() {
  close_debug_files();
  if (channel_) channel_->send(message_of(ParserCall::rest));
}

std::optional<Parser::Searched> Parser::search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               Unnamed& failed) {
  const std::string words = question(ParserCall::search, file, name, added);
  const auto answer = ask(words, file.number, failed, AnswerLimits{.most_ns = most_searching_ns});
  if (!answer) return std::nullopt;
  failed = Unnamed::file_malformed;
  WireReader in(*answer);
  const auto elf_class = in.get<std::uint8_t>();
  auto found = in.get<NameSearch>();
  if (!in.is_whole() || elf_class == 0) return std::nullopt;
  return Searched{.is_64bit = elf_class == 64, .found = std::move(found)};
}

std::vector<AllocatorFunction> Parser::allocator_functions(const FileRef& file) {
  Unnamed failed{};
  const auto answer = ask(question(ParserCall::allocators, file), file.number, failed, AnswerLimits{});
  if (!answer) return {};
  WireReader in(*answer);
  auto functions = in.get<std::vector<AllocatorFunction>>();
  return in.ok() ? std::move(functions) : std::vector<AllocatorFunction>();
}

}  // namespace profile
