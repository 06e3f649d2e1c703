#include "push/asker.h"

#include <array>
#include <chrono>
#include <utility>

#include "children/kinds.h"
#include "children/wire.h"
#include "output/clean_text.h"
#include "push/child.h"
#include "support/module.h"
#include "support/process_fd.h"

namespace profile {
namespace {

constexpr std::chrono::seconds patience_at_start{10};
// The child gives up before this.
constexpr std::chrono::seconds most_silence{330};
constexpr ChannelAllowance allowed_pieces{.messages = 256, .bytes = std::size_t{16} << 20};
constexpr std::uint64_t most_short_bytes = std::uint64_t{1} << 20;

int run_asker(const PushTarget& store, const std::string& credentials, ChildEnds ends) {
  WaitingChannel channel(std::move(ends));
  const PushModule* module = nullptr;
  std::string why_not;
  try {
    module = &load_module<PushModule>();
    confine(ChildKind::asker);
    check_is_not_root(store.name);
  } catch (const Error& error) {
    why_not = error.what();
  }
  channel.send(message_of(why_not));
  return why_not.empty() ? module->ask(store, credentials, std::move(channel)) : 1;
}

}  // namespace

StoreAsker::StoreAsker(PushTarget store, std::string credentials)
    : store_(std::move(store)), credentials_(std::move(credentials)), channel_(Fd()) {
  auto [ours, its] = new_one_way_ends();
  std::array<Fd, 2> kept{std::move(its.socket), std::move(its.answers)};
  child_ = fork_child(ChildKind::asker, kept, [this](std::vector<Fd> ends) {
    return run_asker(store_, credentials_, {.socket = std::move(ends[0]), .answers = std::move(ends[1])});
  });
  for (Fd& end : kept) end.reset();
  list_own_process(child_);
  channel_ = Channel(std::move(ours));
  channel_.allow({.messages = 1, .bytes = WireReader::most_text_bytes});
  const auto message = channel_.receive(patience_at_start);
  if (!message) throw error("the process for it does not start");
  const std::string why_not(WireReader(message->bytes).text());
  if (!why_not.empty()) throw Error(why_not);
}

StoreAsker::~StoreAsker() { kill_process(child_.process); }

void StoreAsker::ask(const std::string& sql, std::uint64_t most_bytes, const TakePiece& take) {
  channel_.send(message_of(sql, most_bytes));
  for (std::uint64_t bytes = 0;;) {
    channel_.allow(allowed_pieces);
    const auto message = channel_.receive(most_silence);
    if (!message) throw error(channel_.is_gone() ? in_words(ChildKind::asker) + " was ended" : "no answer in time");
    WireReader in(message->bytes);
    const auto word = in.one_of(AskerWord::count);
    const std::string_view text = in.text();
    if (!in.is_whole()) throw error(in_words(ChildKind::asker) + " sent an invalid answer");
    if (word == AskerWord::end) {
      if (!text.empty()) throw error(clean_text(text));
      return;
    }
    bytes += text.size();
    if (bytes > most_bytes) throw error("its answer is too long");
    take(text);
  }
}

std::string StoreAsker::ask(const std::string& sql) {
  std::string answer;
  ask(sql, most_short_bytes, [&](std::string_view piece) { answer += piece; });
  return answer;
}

}  // namespace profile
