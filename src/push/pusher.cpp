#include "push/pusher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <span>

#include "children/kinds.h"
#include "children/wire.h"
#include "files/caller.h"
#include "output/clean_text.h"
#include "push/child.h"
#include "push/spool.h"
#include "support/deadline.h"
#include "support/error.h"
#include "support/module.h"
#include "support/process_fd.h"
#include "support/text_file.h"

namespace profile {
namespace {

// Loading the library takes some hundredths of a second; a spool with much in it takes longer.
constexpr std::chrono::seconds most_starting{10};
// The child speaks at most five times a second, and while a run ends, after each answer.
constexpr ChannelAllowance allowed{.messages = 512, .bytes = std::size_t{4} << 20};
// Orders that the child has not taken: it is stuck then, and more would fill the memory.
constexpr std::size_t most_untaken = 64;
// Of bodies in messages that the child has not received, whatever it says: they are not in its memory yet.
constexpr std::size_t most_unreceived_bytes = std::size_t{64} << 20;
// A server that always fails in another way is not to fill the terminal.
constexpr std::size_t most_troubles = 8;

// The one that names the first of the servers, in messages about all.
std::string_view first_option(const PushSettings& settings) { return option_of(settings.targets.front().protocol); }

int run_child(const PushSettings& settings, ChildEnds ends) {
  WaitingChannel channel(std::move(ends));
  std::vector<Fd> spools;
  const PushModule* module = nullptr;
  std::string why_not;
  try {
    const ChildRow& row = row_of(ChildKind::pusher);
    if (!settings.spool.empty()) spools = open_spools(settings.spool, settings.targets, row.user);
    module = &load_module<PushModule>();
    confine(ChildKind::pusher);
    check_is_not_root(std::string(first_option(settings)));
    for (const Fd& spool : spools) {
      if (::faccessat(spool.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
        throw system_error("--spool " + settings.spool + ": the process that pushes cannot write in it", errno);
      }
    }
  } catch (const Error& error) {
    why_not = error.what();
  }
  channel.send(message_of(why_not));
  return why_not.empty() ? module->work(settings, std::move(spools), std::move(channel)) : 1;
}

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw system_error("cannot make a random number", errno);
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);  // version 4 of RFC 4122
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

// A file in memory, so that nothing is copied through the channel and no half message can hold the child up.
Fd in_memory(std::string_view bytes) {
  Fd file(::memfd_create("profile-push", MFD_CLOEXEC));
  while (file && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string checked_credentials(const std::string& where, std::string_view text) {
  text = without_blanks(text);
  constexpr std::string_view scheme = "Bearer ";
  if (text.starts_with(scheme)) text = without_blanks(text.substr(scheme.size()));
  const auto is_strange = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (text.empty() || std::ranges::any_of(text, is_strange)) {
    throw Error(where + ": not one line with USER:PASSWORD or a token");
  }
  return std::string(text);
}

}  // namespace

std::string push_credentials(const std::string& path) {
  if (path.empty()) {
    const char* const value = std::getenv(push_secret);
    return value == nullptr ? "" : checked_credentials(push_secret, value);
  }
  const std::string where = "--push-auth-file " + path;
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) throw system_error(where, errno);
  if (!S_ISREG(found.st_mode)) throw Error(where + ": not an ordinary file");
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) throw Error(where + ": others may read it; chmod 600 changes that");
  if (!current_caller().trusts(found.st_uid)) throw Error(where + ": it belongs to another user");
  const auto text = read_text(file);
  if (!text) throw system_error(where, errno);
  return checked_credentials(where, *text);
}

struct Pusher::Target {
  TargetState state;
  std::string bodies;  // of the requests that were added and not handed over
  std::vector<PushedRequest> requests;
  std::uint64_t lost_samples = 0;  // that could not be handed over
  std::set<std::string> troubles;  // that were said
};

Pusher::Pusher(PushSettings settings) : settings_(std::move(settings)), channel_(Fd()) {
  auto [ours, its] = new_one_way_ends();
  std::array<Fd, 2> kept{std::move(its.socket), std::move(its.answers)};
  child_ = fork_child(ChildKind::pusher, kept, [this](std::vector<Fd> ends) {
    return run_child(settings_, {.socket = std::move(ends[0]), .answers = std::move(ends[1])});
  });
  for (Fd& end : kept) end.reset();
  list_own_process(child_);
  channel_ = Channel(std::move(ours));
  channel_.allow({.messages = 1, .bytes = WireReader::most_text_bytes});
  const auto message = channel_.receive(most_starting);
  if (!message) throw Error(std::string(first_option(settings_)) + ": the process for it does not start");
  const std::string why_not(WireReader(message->bytes).text());
  if (!why_not.empty()) throw Error(why_not);
  channel_.allow(allowed);
  targets_.resize(settings_.targets.size());
}

// The child ends when its channel does, and lets an answer come that is under way. A next run can use the spool then.
Pusher::~Pusher() {
  constexpr int most_ending_ms = 1500;
  channel_ = Channel(Fd());
  pollfd ended{.fd = child_.process.get(), .events = POLLIN, .revents = 0};
  ::poll(&ended, 1, most_ending_ms);
  kill_process(child_.process);
  // One that hangs in the kernel, where a server of files does not answer, is left behind.
  ::poll(&ended, 1, most_ending_ms);
  ::waitpid(child_.pid, nullptr, WNOHANG);
}

void Pusher::add(std::string_view name, const PushLabels& labels, std::string_view pprof, std::uint64_t samples) {
  const std::string id = random_uuid();
  const PushedProfile profile{.name = name, .labels = labels, .pprof = pprof, .id = id};
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const PushProtocol protocol = settings_.targets[i].protocol;
    if (protocol != PushProtocol::clickhouse) add(i, request_body(protocol, profile), samples);
  }
}

void Pusher::add(std::size_t target, std::string_view body, std::uint64_t samples) {
  targets_[target].bodies += body;
  targets_[target].requests.push_back({.samples = samples, .bytes = body.size()});
}

void Pusher::hand_over() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!targets_[i].requests.empty()) hand_over(i);
  }
}

void Pusher::hand_over(std::size_t target) {
  const std::string bodies = std::exchange(targets_[target].bodies, {});
  const std::vector<PushedRequest> requests = std::exchange(targets_[target].requests, {});
  std::uint64_t samples = 0;
  for (const PushedRequest& request : requests) samples += request.samples;
  if (channel_.is_all_received()) unreceived_bytes_ = 0;
  const bool has_room = untaken_.size() < most_untaken && unreceived_bytes_ + bodies.size() <= most_unreceived_bytes;
  std::vector<Fd> fds(1);
  if (!is_gone() && has_room) fds[0] = in_memory(bodies);
  if (!fds[0]) {
    targets_[target].lost_samples += samples;
    return;
  }
  unreceived_bytes_ += bodies.size();
  order(message_of(PushOrder::push, static_cast<std::uint32_t>(target), requests), std::move(fds),
        {.target = target, .requests = requests.size(), .samples = samples});
}

void Pusher::order(const std::string& message, std::vector<Fd> fds, const Untaken& untaken) {
  channel_.send(message, std::move(fds));
  ++orders_;
  untaken_.push_back(untaken);
}

void Pusher::note_trouble(std::size_t target, const std::string& trouble, std::vector<std::string>& lines) {
  std::set<std::string>& said = targets_[target].troubles;
  if (trouble.empty() || said.size() >= most_troubles || !said.insert(trouble).second) return;
  const PushTarget& to = settings_.targets[target];
  lines.push_back("profile: " + std::string(option_of(to.protocol)) + ' ' + to.name + ": " + clean_text(trouble));
}

std::vector<std::string> Pusher::look() {
  std::vector<std::string> lines;
  while (const auto message = channel_.take()) {
    WireReader in(message->bytes);
    in.allow_elements(targets_.size());
    PushState state;
    in.read(state);
    if (!in.is_whole() || state.targets.size() != targets_.size()) continue;
    for (; taken_orders_ < std::min(state.orders, orders_); ++taken_orders_) untaken_.pop_front();
    is_resting_ = state.is_resting;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      targets_[i].state = state.targets[i];
      note_trouble(i, state.targets[i].trouble, lines);
      if (state.targets[i].spool_trouble.empty()) continue;
      note_trouble(i, "cannot write in " + settings_.spool + ": " + state.targets[i].spool_trouble, lines);
    }
  }
  if (!channel_.is_gone()) {
    channel_.allow(allowed);
  } else if (!std::exchange(was_gone_, true)) {
    lines.push_back("profile: " + std::string(first_option(settings_)) + ": " + in_words(ChildKind::pusher) +
                    " was ended; nothing more is sent");
  }
  return lines;
}

bool Pusher::is_done() const {
  if (taken_orders_ != orders_) return false;
  return std::ranges::all_of(targets_, [this](const Target& target) {
    const PushCounts& counts = target.state.counts;
    const bool is_kept = has_spool() && target.state.has_tried && counts.unsaved_samples == 0;
    return counts.waiting_requests == 0 || is_kept;
  });
}

std::vector<std::string> Pusher::finish(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds look_every{100};
  constexpr std::chrono::milliseconds patience_with_answer{1000};
  std::vector<std::string> lines = look();
  const auto wait_until = [&](const auto& is_reached, std::chrono::milliseconds most) {
    const Deadline deadline(most);
    while (!is_gone() && !is_reached() && !deadline.is_over()) {
      channel_.wait(std::min(deadline.left(), look_every));
      for (std::string& line : look()) lines.push_back(std::move(line));
    }
  };
  order(message_of(PushOrder::finish), {}, {});
  wait_until([this] { return is_done(); }, patience);
  order(message_of(PushOrder::stop), {}, {});
  wait_until([this] { return taken_orders_ == orders_ && is_resting_; }, patience_with_answer);
  return lines;
}

std::vector<PushCounts> Pusher::counts() const {
  std::vector<PushCounts> all;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    PushCounts& counts = all.emplace_back(targets_[i].state.counts);
    counts.target = settings_.targets[i].name;
    counts.lost_samples += targets_[i].lost_samples;
  }
  for (const Untaken& order : untaken_) {
    PushCounts& counts = all[order.target];
    counts.waiting_requests += order.requests;
    counts.waiting_samples += order.samples;
    counts.unsaved_samples += order.samples;
  }
  return all;
}

}  // namespace profile
