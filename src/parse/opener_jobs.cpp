#include "parse/opener_jobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "parse/file_kind.h"
#include "parse/path_walk.h"
#include "process/file_keeper.h"
#include "process/perf_map_file.h"
#include "process/proc_source.h"
#include "process/stack_walk.h"
#include "support/file_status.h"
#include "support/safe_open.h"

namespace profile {
namespace {

// Whether the process sees the same mounts as we do. False when it is gone.
bool has_own_mounts(std::uint32_t tgid) {
  struct stat its {};
  struct stat ours {};
  return ::stat(("/proc/" + std::to_string(tgid) + "/ns/mnt").c_str(), &its) == 0 &&
         ::stat("/proc/self/ns/mnt", &ours) == 0 && its.st_ino == ours.st_ino;
}

// Numbers for the part of root's files that a question is about. The last two bits differ by kind, so two kinds never
// have the same number.
std::uint64_t part_of_file(const FileIdentity& file) {
  return file.device_major == 0 ? std::uint64_t{file.device_minor} << 2 | 1 : file.inode << 2 | 2;
}
std::uint64_t part_of_process(std::uint32_t tgid) { return std::uint64_t{tgid} << 2 | 3; }
std::uint64_t part_of_path(const std::string& path) { return (std::hash<std::string>{}(path) | 1) << 2; }

// Who bears the cost of reading an open file: who decides what it says, because anybody's process may use it. If that
// is only claimed, it is the user of the process.
FileOwner owner_of_content(std::uint64_t content_owner, std::uint64_t part, const FileOwner& process_owner) {
  if (content_owner > UINT32_MAX) return process_owner;
  return {.uid = static_cast<std::uint32_t>(content_owner), .part = content_owner == 0 ? part : 0};
}

// Why the file is not handed over as one of that kind; `none`: it is.
FileFault refusal_of(const KeptFile& file, FileKind kind) {
  if (file.is_perf_map != (kind == FileKind::perf_map)) return FileFault::malformed;
  if (file.is_perf_map) return FileFault::none;  // its owner was checked when it was opened
  if (kind == FileKind::text && !file.is_chosen) return FileFault::malformed;
  if (!begins_as(kind, file.fd.get())) return FileFault::malformed;
  const auto status = status_of(file.fd.get());
  if (!status) return FileFault::gone;
  // The owner's own files are read by a parser that reads nothing else.
  const bool is_own = file.content_owner == content_owner_of_user(status->owner, true);
  const bool is_readable =
      is_own || file.is_chosen || may_read(status->mode, status->owner, status->group, file.rights);
  return is_readable ? FileFault::none : FileFault::no_access;
}

}  // namespace

OpenerJobs::OpenerJobs(OpenerFiles& files, const DebugFileSearch& places, Begin begin)
    : files_(files), places_(places), begin_(std::move(begin)) {}

bool OpenerJobs::is_turn_of(const OpenerJob& job, const FileOwner& owner) {
  if (!files_.is_banned(owner)) return begin_(owner, false);
  answer(job, FileFault::no_answer);
  return false;
}

FileOwner OpenerJobs::owner_of(std::uint32_t tgid, std::uint64_t part) const {
  return owner_of(tgid, status_of_process(tgid).value_or(""), part);
}

FileOwner OpenerJobs::owner_of(std::uint32_t tgid, std::string_view status, std::uint64_t part) const {
  const auto owner = owner_in_status(status);
  if (!owner) return {.part = part};
  if (const std::uint32_t maker = namespaces_.maker_for(tgid)) return {.uid = maker};
  // In our own user namespace it is 0: a user is the same owner with and without a namespace of their own.
  const std::uint64_t user_namespace = namespaces_.number_of(tgid);
  const bool is_root = owner->uid == 0 && user_namespace == 0;
  return {.uid = owner->uid, .user_namespace = user_namespace, .part = is_root ? part : 0};
}

void OpenerJobs::run(const OpenerJob& job) {
  WireReader in(job.rest);
  switch (job.call) {
    case OpenerCall::open:
      return open(job, in);
    case OpenerCall::state:
      return state(job, in);
    case OpenerCall::hand:
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
    case OpenerCall::way:
    case OpenerCall::count:
      return;
  }
}

void OpenerJobs::open(const OpenerJob& job, WireReader& in) {
  KeptFile file;
  const auto number = in.get<FileNumber>();
  const auto identity = in.get<FileIdentity>();
  in.read(file.path, file.mapped_by);
  const std::string status = status_of_process(file.mapped_by.tgid).value_or("");
  const std::uint64_t part = part_of_file(identity);
  file.process_owner = owner_of(file.mapped_by.tgid, status, part);
  // A user whose files do not answer must not keep the files of others from everybody, by using them first.
  const bool is_banned = files_.is_banned(file.process_owner);
  if (!is_turn_of(job, is_banned ? FileOwner{.part = part} : file.process_owner)) return;
  const auto rights = rights_in_status(status);
  OpenedFile opened = is_banned ? opener_.open_owned(identity, file.path, file.mapped_by)
                                : opener_.open(identity, file.path, file.mapped_by);
  if (!opened.fd) return answer(job, opened.reason);
  file.owner = owner_of_content(opened.owner, part, file.process_owner);
  if (files_.is_banned(file.owner)) return answer(job, FileFault::no_answer);
  file.fd = std::move(opened.fd);
  file.stamp = opened.stamp;
  file.content_owner = opened.owner;
  // A process that does not have the file now may be another one than the one that had it. One that has other rights
  // now may have had others, too, when it had the file.
  if (opened.is_mapped && rights_of_process(file.mapped_by.tgid) == rights) file.rights = rights;
  files_.keep(number, std::move(file));
  answer(job, FileFault::none, opened.stamp, opened.owner);
}

void OpenerJobs::state(const OpenerJob& job, WireReader& in) {
  const KeptFilePtr file = files_.find(in.get<FileNumber>());
  if (!file) return answer(job, FileFault::no_answer);
  if (!is_turn_of(job, file->owner)) return;
  std::string answer_bytes = message_of(job.id, FileFault::none, FileOpener::state(file->fd.get(), file->stamp));
  for (const auto number : in.get<std::vector<FileNumber>>()) {
    const KeptFilePtr other = files_.find(number);
    // Each file of root is an owner of its own.
    const bool is_told = other && other->owner.uid == file->owner.uid &&
                         other->owner.user_namespace == file->owner.user_namespace && !files_.is_banned(other->owner);
    if (is_told) begin_(other->owner, true);
    append_value(answer_bytes, is_told ? FileOpener::state(other->fd.get(), other->stamp) : FileState::unknown);
  }
  files_.answer(answer_bytes);
}

void OpenerJobs::hand(const OpenerJob& job, WireReader& in) {
  const auto number = in.get<FileNumber>();
  const auto way = in.get<WayNumber>();
  const auto kind = in.one_of(FileKind::count);
  const KeptFilePtr file = files_.find(number);
  if (!in.ok() || !file) return answer(job, FileFault::gone);
  if (!is_turn_of(job, file->owner)) return;
  const auto stamp = FileOpener::stamp(file->fd.get());
  if (file->stamp != FileStamp{} && stamp && !stamp->has_content_of(file->stamp))
    return answer(job, FileFault::changed);
  if (const FileFault refused = refusal_of(*file, kind); refused != FileFault::none) return answer(job, refused);
  answer(job, files_.give(way, number, file->fd.get()) ? FileFault::none : FileFault::parser_gave_up);
}

// Closing may wait for ever, too. So a file stays open while its owner's files do not answer, until closing is tried
// again.
void OpenerJobs::close(const OpenerJob& job) {
  const KeptFilePtr file = files_.find_closing(job.id);
  if (!file || (!job.is_again && files_.is_banned(file->owner)) || !begin_(file->owner, false)) return;
  files_.close(job.id);
}

void OpenerJobs::debug(const OpenerJob& job, WireReader& in) {
  const auto number = in.get<FileNumber>();
  const auto way = in.get<WayNumber>();
  const KeptFilePtr base = files_.find(in.get<FileNumber>());
  DebugQuestion question;
  unsigned next = 0;
  in.read(question.kind, question.text, next);
  if (!in.ok() || !base || base->is_perf_map) return answer(job, FileFault::gone);
  if (!is_turn_of(job, base->owner)) return;
  std::string why;
  KeptFile file{.fd = {},
                .stamp = {},
                .path = base->path,
                .mapped_by = base->mapped_by,
                .owner = base->process_owner,
                .process_owner = base->process_owner,
                .content_owner = base->content_owner,
                .rights = base->rights};
  const auto may_look_into = [&](const std::string& directory) {
    file.owner = directory.empty() ? base->process_owner : FileOwner{.part = part_of_path(directory)};
    return !files_.is_banned(file.owner) && begin_(file.owner, true);
  };
  DebugBase of{.fd = base->fd.get(),
               .path = base->path,
               .mapped_by = base->mapped_by,
               .owner = base->content_owner,
               .rights = base->rights};
  // No process is known to use the file: its owner decides what it says, and so which sources it names.
  const bool is_of_owner = question.kind == DebugQuestion::Kind::source && base->is_chosen;
  if (is_of_owner && of.owner <= UINT32_MAX) of.rights = {.uid = static_cast<std::uint32_t>(of.owner), .groups = {}};
  file.fd = places_.open(question, of, may_look_into, next, why);
  const FileFault reason = file.fd ? FileFault::none : FileFault::gone;
  if (file.fd) {
    const KeptFilePtr kept = files_.keep(number, std::move(file));
    files_.give(way, number, kept->fd.get());
  }
  answer(job, reason, next, why);
}

void OpenerJobs::perf_map(const OpenerJob& job, WireReader& in) {
  const auto number = in.get<FileNumber>();
  const auto tgid = in.get<std::uint32_t>();
  const auto last_user = in.get<std::optional<std::uint32_t>>();
  KeptFile file;
  file.owner = owner_of(tgid, part_of_process(tgid));
  if (!is_turn_of(job, file.owner)) return;
  PerfMapFile map = open_perf_map(tgid, last_user);
  file.fd = std::move(map.fd);
  file.is_perf_map = true;
  const auto status = file.fd ? status_of(file.fd.get()) : std::nullopt;
  if (!status) return answer(job, FileFault::gone);
  // The process speaks for itself alone, also when root has written its map.
  const std::uint32_t user = namespaces_.user_behind(map.uid.value_or(status->owner), tgid);
  file.content_owner = content_owner_of_user(user, has_own_mounts(tgid));
  const std::uint64_t content_owner = file.content_owner;
  files_.keep(number, std::move(file));
  answer(job, FileFault::none, status->size_bytes, content_owner);
}

void OpenerJobs::size(const OpenerJob& job, WireReader& in) {
  const KeptFilePtr file = files_.find(in.get<FileNumber>());
  if (!file) return answer(job, FileFault::gone);
  if (!is_turn_of(job, file->owner)) return;
  const auto status = status_of(file->fd.get());
  if (!status) return answer(job, FileFault::gone);
  answer(job, FileFault::none, status->size_bytes);
}

void OpenerJobs::look(const OpenerJob& job, WireReader& in) {
  const auto path = in.get<std::string>();
  const bool to_write = in.get<bool>();
  if (!is_turn_of(job, {.part = part_of_path(path)})) return;
  struct stat found {};
  const int error = ::stat(path.c_str(), &found) == 0 ? 0 : errno;
  // Opens it as it will be opened later, but keeps its content. A server may answer everything except this.
  if (error == 0 && to_write && S_ISREG(found.st_mode)) Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  answer(job, FileFault::none, error, error == 0 && S_ISDIR(found.st_mode));
}

void OpenerJobs::stacks(const OpenerJob& job, WireReader& in) {
  const auto tgid = in.get<std::uint32_t>();
  const std::size_t most_bytes = in.get<std::uint32_t>();
  if (!is_turn_of(job, owner_of(tgid, part_of_process(tgid)))) return;
  std::vector<std::string> copies;
  for (const RuntimeAddress pointer : in.get<std::vector<RuntimeAddress>>()) {
    copies.push_back(copy_of_stack(tgid, pointer, most_bytes));
  }
  answer(job, FileFault::none, copies);
}

// The path of a text that a program names, for a user who is root: open to everyone, as it would be to any other user.
PathWalk walk_for_everyone(const std::string& path) {
  PathWalk walk;
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return walk;
  walk = walk_to(path, Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), Links::followed, std::nullopt);
  const auto status = walk.place ? status_of(walk.place.get()) : std::nullopt;
  const bool is_open = status && may_read(status->mode, status->owner, status->group, std::nullopt);
  if (walk.refusal != nullptr || (walk.place && !is_open)) {
    walk = {.place = {}, .refusal = "root reads only what everyone may read, because a program may name any file"};
  }
  return walk;
}

// The user or the system chose this path; or a program named it, and it is opened as that of a text.
void OpenerJobs::path(const OpenerJob& job, WireReader& in) {
  const auto number = in.get<FileNumber>();
  KeptFile file;
  file.path = in.text();
  const auto named_by = in.one_of(PathNamedBy::count);
  file.mapped_by.own_mounts = true;
  file.is_chosen = true;
  file.owner.part = part_of_path(file.path);
  file.process_owner = file.owner;
  if (!is_turn_of(job, file.owner)) return;
  PathWalk walk;
  if (named_by == PathNamedBy::program && ::geteuid() == 0) {
    walk = walk_for_everyone(file.path);
  } else {
    walk.place = Fd(::open(file.path.c_str(), O_PATH | O_CLOEXEC));
  }
  const Fd& place = walk.place;
  Mounts mounts;
  const auto look = place ? look_at(place, mounts, 0) : std::nullopt;
  std::string why;
  if (walk.refusal != nullptr) {
    why = walk.refusal;
  } else if (look && look->refusal != nullptr) {
    why = look->refusal;
  } else {
    file.fd = look ? reopen(place) : Fd();
    if (!file.fd) why = std::strerror(errno);
    if (look) file.content_owner = owners_.of(*look, file.mapped_by);
  }
  const auto stamp = file.fd ? FileOpener::stamp(file.fd.get()) : std::nullopt;
  const FileFault reason = file.fd ? FileFault::none : FileFault::gone;
  const std::uint64_t content_owner = file.content_owner;
  if (file.fd) files_.keep(number, std::move(file));
  answer(job, reason, stamp.value_or(FileStamp{}), content_owner, why);
}

}  // namespace profile
