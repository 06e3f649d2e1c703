#include "parse/probes.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "children/wire.h"
#include "parse/prober_child.h"
#include "support/fd.h"
#include "support/process_fd.h"

namespace profile {
namespace {

// Linux waits for all processes that put probes anywhere or fork, and for all CPUs. On a busy machine that takes a
// second and more, and some time for each place.
constexpr std::uint64_t most_attaching_ns = 10'000'000'000;
constexpr std::uint64_t most_for_place_ns = 500'000'000;

}  // namespace

std::optional<ProbedFile> Probes::checked(ProbedFile file, const FileStamp& stamp, std::string& why) {
  file.device = stamp.device;
  file.inode = stamp.inode;
  file.owner = opener_.owner_of(file.number);
  FileFault failed{};
  const auto searched = parser_.search(ref(file), "", 0, failed);
  if (searched) {
    file.is_64bit = searched->is_64bit;
    return file;
  }
  why = "it is no ELF file of this machine's kind that can be read";
  close(file);
  return std::nullopt;
}

std::optional<ProbedFile> Probes::open(const std::string& path, std::string& why) {
  ProbedFile file{.number = opener_.new_number(), .path = path};
  FileStamp stamp;
  if (opener_.open_path(file.number, path, stamp, why) != FileFault::none) return std::nullopt;
  return checked(std::move(file), stamp, why);
}

std::optional<ProbedFile> Probes::open_mapped(const FileIdentity& identity, const std::string& path,
                                              const MappedBy& mapped_by, std::string& why) {
  ProbedFile file{.number = opener_.new_number(), .path = path};
  FileStamp stamp;
  const FileFault reason =
      opener_.open_now({.number = file.number, .identity = identity, .path = path, .mapped_by = mapped_by}, stamp);
  why = may_open_later(reason) ? opener_.why_no_answer() : "it is not there any more";
  if (reason != FileFault::none) return std::nullopt;
  return checked(std::move(file), stamp, why);
}

NameSearch Probes::search(const ProbedFile& file, std::string_view name, std::uint64_t added) {
  FileFault failed{};
  auto searched = parser_.search(ref(file), name, added, failed);
  if (searched) return std::move(searched->found);
  NameSearch none;
  none.was_given_up = failed != FileFault::malformed;
  return none;
}

std::vector<AllocatorFunction> Probes::allocator_functions(const ProbedFile& file) {
  return parser_.allocator_functions(ref(file));
}

bool Probes::start() {
  std::vector<Fd> ends;
  ends.push_back(opener_.new_way(way_to_prober));
  prober_ = keeper_.start(ChildKind::prober, std::move(ends));
  return prober_.has_value();
}

Fd Probes::probe(const ProbedFile& file, const UserProbe& probe, int& error) {
  return ask(file, message_of(ProberTask::event, file.number, probe), {}, most_attaching_ns, error);
}

Fd Probes::link(const ProbedFile& file, const ProbeGroup& group, const Fd& program, int& error) {
  std::vector<Fd> fds;
  fds.emplace_back(::fcntl(program.get(), F_DUPFD_CLOEXEC, 0));
  error = errno;
  if (!fds[0]) return {};
  return ask(file, message_of(ProberTask::link, file.number, group), std::move(fds),
             most_attaching_ns + group.places.size() * most_for_place_ns, error);
}

Fd Probes::ask(const ProbedFile& file, const std::string& question, std::vector<Fd> fds, std::uint64_t most_ns,
               int& error) {
  error = EIO;
  if (!prober_ && !start()) return {};
  if (opener_.hand(file.number, way_to_prober, FileKind::elf) != FileFault::none) return {};
  Channel& channel = prober_->channel;
  channel.allow({.messages = 2, .bytes = 64});
  channel.send(question, std::move(fds));
  ChildWatch watch(prober_->times);
  for (;;) {
    if (auto message = channel.take()) {
      WireReader in(message->bytes);
      if (in.one_of(ProberWord::count) == ProberWord::has_read) {
        watch = ChildWatch(prober_->times, ChildWatch::most_running_ns, most_ns);
        continue;
      }
      error = in.get<int>();
      return error == 0 && !message->fds.empty() ? std::move(message->fds[0]) : Fd();
    }
    if (channel.is_gone() || (!channel.wait(ChildWatch::look_every) && watch.look() != ChildWatch::Finding::works))
      break;
  }
  kill_process(prober_->process);
  prober_.reset();
  error = ETIMEDOUT;
  return {};
}

}  // namespace profile
