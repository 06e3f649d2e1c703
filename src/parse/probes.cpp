#include "parse/probes.h"

#include <signal.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "parse/child_watch.h"
#include "parse/prober_child.h"
#include "parse/wire.h"
#include "support/socket_pair.h"

namespace profile {
namespace {

constexpr std::chrono::milliseconds look_every{100};
// Linux waits for all processes that put probes anywhere or fork, and for all CPUs. On a busy machine that takes a
// second and more.
constexpr std::uint64_t most_attaching_ns = 10'000'000'000;

}  // namespace

bool Probes::is_elf(ProbedFile& file, std::string& why) {
  Unnamed failed{};
  const auto searched = parser_.search(ref(file), "", 0, failed);
  if (searched) {
    file.is_64bit = searched->is_64bit;
    return true;
  }
  why = "it is no ELF file of this machine's kind that can be read";
  close(file);
  return false;
}

std::optional<ProbedFile> Probes::open(const std::string& path, std::string& why) {
  ProbedFile file{.number = opener_.new_number(), .path = path};
  const Opener::OpenedPath opened = opener_.open_path(file.number, path);
  why = opened.why;
  if (opened.reason != Unnamed::named) return std::nullopt;
  file.device = opened.device;
  file.inode = opened.inode;
  if (!is_elf(file, why)) return std::nullopt;
  return file;
}

std::optional<ProbedFile> Probes::open_mapped(const FileIdentity& identity, const std::string& path,
                                              const MappedBy& mapped_by, std::string& why) {
  ProbedFile file{.number = opener_.new_number(), .path = path};
  FileStamp stamp;
  const Unnamed reason =
      opener_.open_now({.number = file.number, .identity = identity, .path = path, .mapped_by = mapped_by}, stamp);
  why = reason == Unnamed::no_answer ? does_not_answer : "it is not there any more";
  if (reason != Unnamed::named) return std::nullopt;
  file.device = stamp.device;
  file.inode = stamp.inode;
  if (!is_elf(file, why)) return std::nullopt;
  return file;
}

NameSearch Probes::search(const ProbedFile& file, std::string_view name, std::uint64_t added) {
  Unnamed failed{};
  auto searched = parser_.search(ref(file), name, added, failed);
  if (searched) return std::move(searched->found);
  NameSearch none;
  none.was_given_up = failed != Unnamed::file_malformed;
  return none;
}

std::vector<AllocatorFunction> Probes::allocator_functions(const ProbedFile& file) {
  return parser_.allocator_functions(ref(file));
}

bool Probes::start() {
  auto [ours, its] = new_socket_pair();
  auto [opener_end, prober_end] = new_socket_pair();
  std::vector<Fd> ends;
  ends.push_back(std::move(its));
  ends.push_back(std::move(prober_end));
  opener_.set_prober(std::move(opener_end));
  pid_ = keeper_.start(ChildKind::prober, std::move(ends));
  if (!pid_) return false;
  prober_.emplace(std::move(ours), true);
  return true;
}

Fd Probes::probe(const ProbedFile& file, const UserProbe& probe, int& error) {
  error = EIO;
  if (!prober_ && !start()) return {};
  if (opener_.hand_to_prober(file.number, file.number) != Unnamed::named) return {};
  WireWriter words;
  words.put(file.number);
  words.put(probe.offset.value);
  words.put(static_cast<std::uint8_t>(probe.on_return ? 1 : 0));
  words.put(probe.tgid ? static_cast<std::int32_t>(*probe.tgid) : -1);
  prober_->send(words.bytes());
  ChildWatch watch(*pid_);
  for (;;) {
    if (auto message = prober_->take()) {
      WireReader in(message->bytes);
      if (in.one_of(ProberWord::count) == ProberWord::has_read) {
        watch = ChildWatch(*pid_, ChildWatch::most_running_ns, most_attaching_ns);
        continue;
      }
      error = in.number<int>();
      return error == 0 && !message->fds.empty() ? std::move(message->fds[0]) : Fd();
    }
    if (prober_->is_gone() || (!prober_->wait(look_every) && watch.look() != ChildWatch::Finding::works)) break;
  }
  ::kill(*pid_, SIGKILL);
  prober_.reset();
  error = ETIMEDOUT;
  return {};
}

}  // namespace profile
