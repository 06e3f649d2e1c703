#include "parse/parser.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "parse/answers_wire.h"
#include "parse/debug_file_search.h"
#include "support/socket_pair.h"
#include "support/work_budget.h"

namespace profile {
namespace {

constexpr std::chrono::milliseconds look_every{100};
// Demangling a name takes microseconds, but a short name can be made to take for ever.
constexpr std::uint64_t most_demangling_ns = 200'000'000;
constexpr std::uint64_t most_demangling_one_ns = 100'000;
// Looking for one name may need to demangle all names: a second for the largest programs, and some more.
constexpr std::uint64_t most_searching_ns = 5'000'000'000;
// The most debug files for one question: as many as the largest programs that split theirs have, and more.
constexpr std::size_t most_wanted = 20'000;
constexpr std::chrono::seconds most_fetching{130};  // from a debuginfod server; the fetcher has a patience of its own

template <class Address>
void put_addresses(std::span<const Address> addresses, WireWriter& out) {
  out.put(static_cast<std::uint32_t>(addresses.size()));
  for (const Address& address : addresses) out.put(address.value);
}

template <class Answer>
Answer failure(Unnamed reason) {
  Answer answer;
  answer.failed = reason;
  return answer;
}

}  // namespace

Parser::Parser(Keeper& keeper, Opener& opener, Channel* fetcher)
    : keeper_(keeper), opener_(opener), fetcher_(fetcher) {}

bool Parser::start() {
  auto [ours, its] = new_socket_pair();
  auto [opener_end, parser_end] = new_socket_pair();
  std::vector<Fd> ends;
  ends.push_back(std::move(its));
  ends.push_back(std::move(parser_end));
  std::vector<Fd> fetcher_end;
  if (fetcher_ != nullptr) {
    auto [from, to] = new_socket_pair();
    fetcher_end.push_back(std::move(from));
    ends.push_back(std::move(to));
  }
  opener_.set_parser(std::move(opener_end));
  if (fetcher_ != nullptr) fetcher_->send({}, std::move(fetcher_end));
  pid_ = keeper_.start(ChildKind::parser, std::move(ends));
  is_missing_ = !pid_;
  if (is_missing_) return false;
  channel_.emplace(std::move(ours));
  return true;
}

// A process that hangs in the kernel ends only when what it waits for ends. This does not wait for that.
void Parser::give_up() {
  if (pid_) ::kill(*pid_, SIGKILL);
  pid_.reset();
  channel_.reset();
  close_debug_files();
}

void Parser::say(ParserCall call) {
  WireWriter words;
  words.put(call);
  channel_->send(words.bytes());
}

void Parser::close_debug_files() {
  for (const std::uint64_t number : debug_files_) opener_.close(number);
  debug_files_.clear();
}

WireWriter Parser::question(ParserCall call, const FileRef& file) const {
  WireWriter words;
  words.put(call);
  words.put(file.number);
  words.text(file.path);
  const MappedBy& by = file.mapped_by;
  words.put(static_cast<std::uint8_t>(by.own_mounts && !has_own_root(by.tgid) ? 1 : 0));
  return words;
}

std::optional<std::string> Parser::ask(const WireWriter& words, std::uint64_t file, Unnamed& failed,
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
      const Unnamed handed = opener_.hand(file, file);
      if (handed == Unnamed::parser_gave_up && !std::exchange(was_repeated, true)) {
        give_up();
        continue;
      }
      if (handed != Unnamed::named) {
        failed = handed;
        return std::nullopt;
      }
    }
    if (is_plain) say(ParserCall::plainly);
    channel_->send(words.bytes());
    Waited waited = wait(file, limits);
    if (waited.ended == Ended::answered) {
      if (is_plain) plain_files_.insert(file);
      return std::move(waited.answer);
    }
    give_up();
    // If it hung while it closed the file before, or if something else ended it, a new parser may do better. This is
    // tried only once. A parser that demangles reads nothing that it could wait for, so something else has stopped it.
    const bool is_others = !waited.has_begun;
    const bool was_ended = waited.ended == Ended::died || (waited.is_demangling && waited.ended == Ended::stuck);
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
          part = ChildWatch(*pid_, std::min(most_demangling_ns + in.number<std::uint32_t>() * most_demangling_one_ns,
                                            limits.most_ns));
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
    if (channel_->wait(look_every)) continue;
    const ChildWatch::Finding finding = part.look();
    if (finding == ChildWatch::Finding::stuck) return ended(Ended::stuck);
    if (finding == ChildWatch::Finding::too_long || whole.look() == ChildWatch::Finding::too_long) {
      return ended(Ended::too_long);
    }
  }
}

void Parser::put_supplied(bool is_found, std::uint64_t number, unsigned next, std::string_view why) {
  WireWriter out;
  out.put(ParserCall::supplied);
  out.put(static_cast<std::uint8_t>(is_found ? 1 : 0));
  out.put(number);
  out.put(static_cast<std::uint32_t>(next));
  out.text(why);
  channel_->send(out.bytes());
}

// The parser wants a debug file. It gets only debug files of the file in question, or of a debug file of that file.
void Parser::supply(WireReader& in, std::uint64_t file) {
  DebugQuestion question;
  question.kind = in.one_of(DebugQuestion::Kind::count);
  question.text = in.text();
  const auto base = in.number<std::uint64_t>();
  unsigned next = in.number<std::uint32_t>();
  const bool is_its_own = base == file || debug_files_.contains(base);
  std::string why;
  const std::uint64_t number = opener_.new_number();
  const bool is_found =
      in.ok() && is_its_own && opener_.open_debug(number, base, question, next, why) == Unnamed::named;
  if (is_found) debug_files_.insert(number);
  put_supplied(is_found, number, next, why);
}

void Parser::fetch(WireReader& in) {
  const std::string build_id(in.text());
  const std::uint64_t number = opener_.new_number();
  bool is_found = false;
  if (fetcher_ != nullptr && in.ok()) {
    WireWriter out;
    out.put(number);
    out.text(build_id);
    fetcher_->send(out.bytes());
    const auto give_up_at = std::chrono::steady_clock::now() + most_fetching;
    while (!fetcher_->is_gone() && std::chrono::steady_clock::now() < give_up_at) {
      if (const auto message = fetcher_->take()) {
        is_found = WireReader(message->bytes).number<std::uint8_t>() != 0;
        break;
      }
      fetcher_->wait(look_every);
    }
  }
  put_supplied(is_found, number, 0, "");
}

template <class Answer>
Answer Parser::answer_to(const WireWriter& words, std::uint64_t file, const AnswerLimits& limits, WorkBudget& budget,
                         std::optional<Answer> (*take)(WireReader&, std::size_t), std::size_t asked) {
  Unnamed failed{};
  const auto answer = ask(words, file, failed, limits);
  if (!answer) return failure<Answer>(failed);
  WireReader in(*answer);
  take_cost(in, budget);
  auto read = take(in, asked);
  if (read && in.is_whole()) return std::move(*read);
  give_up();
  return failure<Answer>(Unnamed::parser_gave_up);
}

NamesOfFile Parser::names(const FileRef& file, std::span<const FileOffset> offsets, WorkBudget& budget) {
  WireWriter words = question(ParserCall::names, file);
  words.put(budget.left());
  put_addresses(offsets, words);
  const std::uint64_t most_ns = std::max(ChildWatch::most_running_ns, budget.left() * ChildWatch::most_ns_a_step);
  return answer_to(words, file.number, {.most_ns = most_ns, .may_be_plain = true}, budget, take_names, offsets.size());
}

LinesOfFile Parser::lines(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) {
  WireWriter words = question(ParserCall::lines, file);
  words.put(budget.left());
  put_addresses(addresses, words);
  return answer_to(words, file.number, AnswerLimits{.may_be_plain = true}, budget, take_lines, addresses.size());
}

UnwindOfFile Parser::unwind_table(const FileRef& file, WorkBudget& budget) {
  WireWriter words = file.number != 0 ? question(ParserCall::unwind, file) : WireWriter();
  if (file.number == 0) words.put(ParserCall::vdso_unwind);
  words.put(budget.left());
  return answer_to(words, file.number, AnswerLimits{}, budget, take_unwind, 0);
}

NamesOfFile Parser::vdso_names(std::span<const FileOffset> offsets) {
  WireWriter words;
  words.put(ParserCall::vdso);
  put_addresses(offsets, words);
  WorkBudget none(0);
  return answer_to(words, 0, AnswerLimits{.may_be_plain = true}, none, take_names, offsets.size());
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
  WireWriter words;
  words.put(ParserCall::jit);
  words.put(map.number);
  words.put(tgid);
  words.put(static_cast<std::uint8_t>(map.is_dump ? 1 : 0));
  words.put(budget.left());
  put_addresses(addresses, words);
  NamesOfJit names = answer_to(words, map.number, AnswerLimits{}, budget, take_jit, addresses.size());
  if (!map.is_dump) opener_.leave_perf_map(tgid, map.number);
  return names;
}

std::vector<std::string> Parser::demangled(std::span<const std::string> names) {
  WireWriter words;
  words.put(ParserCall::demangle);
  words.put(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) words.text(name);
  Unnamed failed{};
  std::vector<std::string> as_they_are(names.begin(), names.end());
  const auto answer = ask(words, 0, failed, {});
  if (!answer) return as_they_are;
  WireReader in(*answer);
  std::vector<std::string> demangled(in.count(sizeof(std::uint32_t)));
  for (std::string& name : demangled) name = in.text();
  return in.is_whole() && demangled.size() == names.size() ? demangled : as_they_are;
}

void Parser::rest() {
  close_debug_files();
  if (channel_) say(ParserCall::rest);
}

std::optional<Parser::Searched> Parser::search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               Unnamed& failed) {
  WireWriter words = question(ParserCall::search, file);
  words.text(name);
  words.put(added);
  const auto answer = ask(words, file.number, failed, AnswerLimits{.most_ns = most_searching_ns});
  if (!answer) return std::nullopt;
  failed = Unnamed::file_malformed;
  WireReader in(*answer);
  const auto elf_class = in.number<std::uint8_t>();
  auto found = take_search(in);
  if (!found || !in.is_whole() || elf_class == 0) return std::nullopt;
  return Searched{.is_64bit = elf_class == 64, .found = std::move(*found)};
}

std::vector<AllocatorFunction> Parser::allocator_functions(const FileRef& file) {
  const WireWriter words = question(ParserCall::allocators, file);
  Unnamed failed{};
  const auto answer = ask(words, file.number, failed, AnswerLimits{});
  if (!answer) return {};
  WireReader in(*answer);
  static_cast<void>(in.number<std::uint8_t>());
  return take_allocators(in).value_or(std::vector<AllocatorFunction>());
}

}  // namespace profile
