#include "parse/opener_jobs.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "process/file_keeper.h"
#include "process/owner.h"
#include "process/perf_map_file.h"
#include "process/stack_walk.h"
#include "support/file_status.h"
#include "support/safe_open.h"

namespace profile {
namespace {

std::uint64_t user_namespace_of(const std::string& process) {
  struct stat found {};
  return ::stat(("/proc/" + process + "/ns/user").c_str(), &found) == 0 ? found.st_ino : 0;
}

// The user who made the user namespace of a process; for nested namespaces, the maker of the outermost one below ours.
// It counts because a user who makes many namespaces has many user ids. 0 for our namespace, for those that root has
// made, and when it is not known.
std::uint32_t maker_of_namespace(std::uint32_t tgid, std::uint64_t own) {
  Fd place(::open(("/proc/" + std::to_string(tgid) + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  uid_t maker = 0;
  constexpr int most_nested = 40;  // the kernel allows 32
  for (int depth = 0; place && depth < most_nested; ++depth) {
    struct stat found {};
    if (::fstat(place.get(), &found) != 0 || found.st_ino == own) break;
    if (::ioctl(place.get(), NS_GET_OWNER_UID, &maker) != 0) return 0;
    place = Fd(::ioctl(place.get(), NS_GET_PARENT));
  }
  return maker;
}

// Numbers for the part of root's files that a question is about. The last two bits differ by kind, so two kinds never
// have the same number.
std::uint64_t part_of_file(const FileIdentity& file) {
  return file.device_major == 0 ? std::uint64_t{file.device_minor} << 2 | 1 : file.inode << 2 | 2;
}
std::uint64_t part_of_process(std::uint32_t tgid) { return std::uint64_t{tgid} << 2 | 3; }
std::uint64_t part_of_path(const std::string& path) { return (std::hash<std::string>{}(path) | 1) << 2; }

}  // namespace

OpenerJobs::OpenerJobs(OpenerFiles& files, const DebugFileSearch& places, Begin begin)
    : files_(files), places_(places), begin_(std::move(begin)), own_user_namespace_(user_namespace_of("self")) {}

bool OpenerJobs::is_turn_of(const OpenerJob& job, const FileOwner& owner) {
  if (!files_.is_banned(owner)) return begin_(owner, false);
  refuse(job, Unnamed::no_answer);
  return false;
}

FileOwner OpenerJobs::owner_of(std::uint32_t tgid, std::uint64_t part) const {
  const auto owner = owner_of_process(tgid);
  if (!owner) return {.part = part};
  const std::uint64_t user_namespace = user_namespace_of(std::to_string(tgid));
  if (const std::uint32_t maker = maker_of_namespace(tgid, own_user_namespace_)) return {.uid = maker};
  const bool is_root = owner->uid == 0 && user_namespace == own_user_namespace_;
  // In our own user namespace it is 0: a user is the same owner with and without a namespace of their own.
  const bool is_ours = user_namespace == own_user_namespace_;
  return {.uid = owner->uid, .user_namespace = is_ours ? 0 : user_namespace, .part = is_root ? part : 0};
}

WireWriter OpenerJobs::answer_to(const OpenerJob& job, Unnamed reason) {
  WireWriter words;
  words.put(job.id);
  words.put(reason);
  return words;
}

void OpenerJobs::refuse(const OpenerJob& job, Unnamed reason) { files_.answer(answer_to(job, reason)); }

void OpenerJobs::run(const OpenerJob& job) {
  WireReader in(job.rest);
  switch (job.call) {
    case OpenerCall::open:
      return open(job, in);
    case OpenerCall::state:
      return state(job, in);
    case OpenerCall::hand:
    case OpenerCall::to_prober:
      return hand(job, in);
    case OpenerCall::close:
      return close(job);
    case OpenerCall::debug:
      return debug(job, in);
    case OpenerCall::perf_map:
      return perf_map(job, in);
    case OpenerCall::size:
      return size(job, in);
    case OpenerCall::path:
      return path(job, in);
    case OpenerCall::look:
      return look(job, in);
    case OpenerCall::stacks:
      return stacks(job, in);
    case OpenerCall::distrust:
    case OpenerCall::parser:
    case OpenerCall::prober:
    case OpenerCall::count:
      return;
  }
}

void OpenerJobs::open(const OpenerJob& job, WireReader& in) {
  KeptFile file;
  const auto number = in.number<std::uint64_t>();
  FileIdentity identity;
  identity.device_major = in.number<std::uint32_t>();
  identity.device_minor = in.number<std::uint32_t>();
  identity.inode = in.number<std::uint64_t>();
  file.path = in.text();
  file.mapped_by.tgid = in.number<std::uint32_t>();
  file.mapped_by.own_mounts = in.number<std::uint8_t>() != 0;
  file.mapped_by.start = in.number<std::uint64_t>();
  file.mapped_by.end = in.number<std::uint64_t>();
  file.owner = owner_of(file.mapped_by.tgid, part_of_file(identity));
  if (!is_turn_of(job, file.owner)) return;
  OpenedFile opened = opener_.open(identity, file.path, file.mapped_by);
  if (!opened.fd) return refuse(job, opened.reason);
  file.fd = std::move(opened.fd);
  file.stamp = opened.stamp;
  WireWriter words = answer_to(job, Unnamed::named);
  words.put(file.stamp.device);
  words.put(file.stamp.inode);
  words.put(file.stamp.size_bytes);
  words.put(file.stamp.modified_ns);
  files_.keep(number, std::move(file));
  files_.answer(words);
}

void OpenerJobs::state(const OpenerJob& job, WireReader& in) {
  const KeptFilePtr file = files_.find(in.number<std::uint64_t>());
  if (!file) return refuse(job, Unnamed::no_answer);
  if (!is_turn_of(job, file->owner)) return;
  auto state = FileKeeper::State::same;
  const auto stamp = FileOpener::stamp(file->fd.get());
  if (file->stamp != FileStamp{} && stamp && *stamp != file->stamp) {
    state = FileKeeper::State::changed;
  } else if (FileOpener::is_deleted(file->fd.get())) {
    state = FileKeeper::State::deleted;
  }
  WireWriter words = answer_to(job, Unnamed::named);
  words.put(state);
  files_.answer(words);
}

void OpenerJobs::hand(const OpenerJob& job, WireReader& in) {
  const KeptFilePtr file = files_.find(in.number<std::uint64_t>());
  const auto tag = in.number<std::uint64_t>();
  if (!file) return refuse(job, Unnamed::file_gone);
  if (!is_turn_of(job, file->owner)) return;
  const auto stamp = FileOpener::stamp(file->fd.get());
  if (file->stamp != FileStamp{} && stamp && *stamp != file->stamp) return refuse(job, Unnamed::file_changed);
  using Taker = OpenerFiles::Taker;
  const Taker taker = job.call == OpenerCall::hand ? Taker::parser : Taker::prober;
  refuse(job, files_.give(taker, tag, file->fd.get()) ? Unnamed::named : Unnamed::parser_gave_up);
}

// Closing may wait for ever, too. So a file stays open while its owner's files do not answer, until closing is tried
// again.
void OpenerJobs::close(const OpenerJob& job) {
  const KeptFilePtr file = files_.find_closing(job.id);
  if (!file || (!job.is_again && files_.is_banned(file->owner)) || !begin_(file->owner, false)) return;
  files_.close(job.id);
}

void OpenerJobs::debug(const OpenerJob& job, WireReader& in) {
  const auto number = in.number<std::uint64_t>();
  const KeptFilePtr base = files_.find(in.number<std::uint64_t>());
  DebugQuestion question;
  question.kind = in.one_of(DebugQuestion::Kind::count);
  question.text = in.text();
  unsigned next = in.number<std::uint32_t>();
  if (!in.ok() || !base) return refuse(job, Unnamed::file_gone);
  if (!is_turn_of(job, base->owner)) return;
  std::string why;
  KeptFile file{.fd = {}, .stamp = {}, .path = base->path, .mapped_by = base->mapped_by, .owner = base->owner};
  const auto may_look_into = [this](const std::string& directory) {
    const FileOwner owner{.part = part_of_path(directory)};
    return !files_.is_banned(owner) && begin_(owner, true);
  };
  file.fd = places_.open(question, {base->fd.get(), base->path, base->mapped_by}, may_look_into, next, why);
  WireWriter words = answer_to(job, file.fd ? Unnamed::named : Unnamed::file_gone);
  words.put(static_cast<std::uint32_t>(next));
  words.text(why);
  if (file.fd) {
    const KeptFilePtr kept = files_.keep(number, std::move(file));
    files_.give(OpenerFiles::Taker::parser, number, kept->fd.get());
  }
  files_.answer(words);
}

void OpenerJobs::perf_map(const OpenerJob& job, WireReader& in) {
  const auto number = in.number<std::uint64_t>();
  const auto tgid = in.number<std::uint32_t>();
  KeptFile file;
  file.owner = owner_of(tgid, part_of_process(tgid));
  if (!is_turn_of(job, file.owner)) return;
  file.fd = open_perf_map(tgid);
  const auto status = file.fd ? status_of(file.fd.get()) : std::nullopt;
  if (!status) return refuse(job, Unnamed::file_gone);
  WireWriter words = answer_to(job, Unnamed::named);
  words.put(status->size_bytes);
  files_.keep(number, std::move(file));
  files_.answer(words);
}

void OpenerJobs::size(const OpenerJob& job, WireReader& in) {
  const KeptFilePtr file = files_.find(in.number<std::uint64_t>());
  if (!file) return refuse(job, Unnamed::file_gone);
  if (!is_turn_of(job, file->owner)) return;
  const auto status = status_of(file->fd.get());
  if (!status) return refuse(job, Unnamed::file_gone);
  WireWriter words = answer_to(job, Unnamed::named);
  words.put(status->size_bytes);
  files_.answer(words);
}

void OpenerJobs::look(const OpenerJob& job, WireReader& in) {
  const std::string path(in.text());
  const bool to_write = in.number<std::uint8_t>() != 0;
  if (!is_turn_of(job, {.part = part_of_path(path)})) return;
  struct stat found {};
  const int error = ::stat(path.c_str(), &found) == 0 ? 0 : errno;
  // Opens it as it will be opened later, but keeps its content. A server may answer everything except this.
  if (error == 0 && to_write && S_ISREG(found.st_mode)) Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  WireWriter words = answer_to(job, Unnamed::named);
  words.put(error);
  words.put(static_cast<std::uint8_t>(error == 0 && S_ISDIR(found.st_mode) ? 1 : 0));
  files_.answer(words);
}

void OpenerJobs::stacks(const OpenerJob& job, WireReader& in) {
  const auto tgid = in.number<std::uint32_t>();
  const std::size_t most_bytes = in.number<std::uint32_t>();
  if (!is_turn_of(job, owner_of(tgid, part_of_process(tgid)))) return;
  WireWriter words = answer_to(job, Unnamed::named);
  const std::size_t count = in.count(sizeof(std::uint64_t));
  for (std::size_t i = 0; i < count; ++i) {
    words.text(copy_of_stack(tgid, RuntimeAddress{in.number<std::uint64_t>()}, most_bytes));
  }
  files_.answer(words);
}

// The user or the system chose this path.
void OpenerJobs::path(const OpenerJob& job, WireReader& in) {
  const auto number = in.number<std::uint64_t>();
  KeptFile file;
  file.path = in.text();
  file.mapped_by.own_mounts = true;
  file.owner.part = part_of_path(file.path);
  if (!is_turn_of(job, file.owner)) return;
  const Fd place(::open(file.path.c_str(), O_PATH | O_CLOEXEC));
  Mounts mounts;
  const auto look = place ? look_at(place, mounts, 0) : std::nullopt;
  std::string why;
  if (look && look->refusal != nullptr) {
    why = look->refusal;
  } else {
    file.fd = look ? reopen(place) : Fd();
    if (!file.fd) why = std::strerror(errno);
  }
  const auto status = file.fd ? status_of(file.fd.get()) : std::nullopt;
  WireWriter words = answer_to(job, file.fd ? Unnamed::named : Unnamed::file_gone);
  words.text(why);
  words.put(status ? status->device : 0);
  words.put(status ? status->inode : 0);
  if (file.fd) files_.keep(number, std::move(file));
  files_.answer(words);
}

}  // namespace profile
