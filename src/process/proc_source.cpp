#include "process/proc_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "process/proc_maps.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/mounts.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::size_t first_buffer_bytes = 64 << 10;
// A single line is never longer than this, even when every byte of its path is escaped.
constexpr std::size_t most_line_bytes = 1 << 20;
constexpr std::uint32_t most_name_bytes = 4096;  // PATH_MAX, the most that the question may ask for
// The most bytes of executable lines of one process. Real processes have a few KB.
constexpr std::size_t most_code_bytes = 8 << 20;

// The question for the next mapping of a kind, which can be asked of an open maps file since Linux 6.11 (PROCMAP_QUERY;
// older systems do not have it in linux/fs.h). It costs half as much as reading the text, and much less for a large
// process.
struct MapsQuestion {
  std::uint64_t size = sizeof(MapsQuestion);
  std::uint64_t query_flags = 0;
  std::uint64_t query_address = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t flags = 0;
  std::uint64_t page_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint32_t name_size = 0;
  std::uint32_t build_id_size = 0;
  std::uint64_t name_address = 0;
  std::uint64_t build_id_address = 0;
};
static_assert(sizeof(MapsQuestion) == 104);
constexpr unsigned long ask_maps = _IOWR('f', 17, MapsQuestion);
constexpr std::uint64_t executable_only = 0x04;
constexpr std::uint64_t this_or_next = 0x10;

// `path` gets the name as in the text of maps, and must live as long as the entry.
MapsEntry entry_of(const MapsQuestion& answer, std::string_view name, std::string& path) {
  path.clear();
  for (const char& one : name) path += one == '\n' ? std::string_view("\\012") : std::string_view(&one, 1);
  return {.start = answer.start,
          .end = answer.end,
          .offset = answer.offset,
          .file = {answer.device_major, answer.device_minor, answer.inode},
          .path = path};
}

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

ssize_t read_some(int fd, char* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd, to, size);
    if (got >= 0 || errno != EINTR) return got;
  }
}

// Returns the names in a directory that are numbers.
std::vector<std::uint32_t> numbers_in(int parent, const char* path) {
  std::vector<std::uint32_t> numbers;
  Fd fd(::openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return numbers;
  const Directory directory(::fdopendir(fd.get()), ::closedir);
  if (!directory) return numbers;
  static_cast<void>(fd.release());  // `directory` owns it now
  while (const dirent* entry = ::readdir(directory.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(entry->d_name, end, number);
    if (error == std::errc{} && stop == end && number != 0) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::optional<std::string> status_of_process(std::uint32_t tgid) {
  return read_text_file("/proc/" + std::to_string(tgid) + "/status");
}

std::optional<ProcessOwner> owner_of_process(std::uint32_t tgid) {
  const auto status = status_of_process(tgid);
  return status ? owner_in_status(*status) : std::nullopt;
}

std::optional<ProcessOwner> owner_in_status(std::string_view status) {
  auto uids = find_field(status, "Uid");
  auto numbers = find_field(status, "NStgid");
  if (!uids || !numbers) return std::nullopt;
  const auto uid = take_number<std::uint32_t>(*uids);
  numbers->remove_prefix(numbers->find_last_of(" \t") + 1);
  const auto innermost = take_number<std::uint32_t>(*numbers);
  if (!uid || !innermost) return std::nullopt;
  return ProcessOwner{.uid = *uid, .innermost_tgid = *innermost};
}

bool has_running_thread(std::uint32_t id) {
  const auto status = status_of_process(id);
  if (!status) return false;
  // A zombie may be a main thread that has ended before the others.
  const bool is_zombie = find_field(*status, "State").value_or("X").find_first_of("ZX") == 0;
  return !is_zombie || find_field(*status, "Threads").value_or("1") > std::string_view("1");
}

KernelProcSource::KernelProcSource()
    : proc_(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), buffer_(first_buffer_bytes) {
  if (!proc_) throw system_error("cannot open /proc", errno);
}

std::uint64_t KernelProcSource::now_ns() { return monotonic_ns(); }

std::vector<std::uint32_t> KernelProcSource::tgids() { return numbers_in(proc_.get(), "."); }

std::uint32_t KernelProcSource::tgid_of(std::uint32_t tid) {
  const auto status = status_of_process(tid);
  if (!status) return 0;
  auto field = find_field(*status, "Tgid");
  return field ? take_number<std::uint32_t>(*field).value_or(0) : 0;
}

bool KernelProcSource::read(std::uint32_t tgid, ProcSnapshot& snapshot) {
  snapshot.code_lines.clear();
  snapshot.is_kernel_thread = false;
  if (!read_comm(tgid, snapshot.comm)) return false;
  if (!read_code_lines(std::to_string(tgid) + "/maps", snapshot.code_lines)) return false;
  if (snapshot.code_lines.empty()) {
    snapshot.is_kernel_thread = is_kernel_thread(tgid);
    if (!snapshot.is_kernel_thread && !read_lines_of_any_thread(tgid, snapshot.code_lines)) return false;
  }
  return true;
}

bool KernelProcSource::is_alive(std::uint32_t tgid) {
  return ::faccessat(proc_.get(), std::to_string(tgid).c_str(), F_OK, 0) == 0;
}

bool KernelProcSource::is_running(std::uint32_t tgid) { return has_running_thread(tgid); }

// False when the kernel does not know the question. Then the text must be read.
bool KernelProcSource::ask_for_code_lines(int maps, std::string& out) {
  const auto ask = [&](std::uint64_t address, std::uint64_t flags, std::string& path) -> std::optional<MapsEntry> {
    MapsQuestion question;
    question.query_flags = flags;
    question.query_address = address;
    question.name_address = reinterpret_cast<std::uint64_t>(buffer_.data());
    question.name_size = most_name_bytes;
    if (::ioctl(maps, ask_maps, &question) != 0) return std::nullopt;
    const std::size_t name_size = question.name_size > 0 ? question.name_size - 1 : 0;  // without its zero byte
    return entry_of(question, {buffer_.data(), name_size}, path);
  };
  std::string path;
  std::string path_before;
  std::string path_behind;
  std::uint64_t last_end = 0;
  for (std::uint64_t address = 0; out.size() < most_code_bytes;) {
    const auto entry = ask(address, executable_only | this_or_next, path);
    if (!entry) {
      // ENOENT: there are no more; ESRCH: the process has ended.
      if (errno == ENOENT || errno == ESRCH) return true;
      if (errno == ENOTTY) can_ask_ = false;
      out.clear();
      return false;
    }
    address = entry->end;
    std::optional<MapsEntry> copy;
    if (entry->file.inode == 0 && entry->start != 0) {
      const auto before = ask(entry->start - 1, 0, path_before);
      const auto behind = before && before->file.inode != 0 ? ask(entry->end, 0, path_behind) : std::nullopt;
      if (behind) copy = copied_part(*before, *entry, *behind);
      if (copy && last_end != before->end) append_code_line(*before, out);
    }
    append_code_line(copy ? *copy : *entry, out);
    last_end = entry->end;
  }
  return true;
}

// Keeps only the executable lines, so that other mappings of the process cost no memory.
bool KernelProcSource::read_code_lines(const std::string& path, std::string& out) {
  const Fd fd(::openat(proc_.get(), path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  if (can_ask_ && ask_for_code_lines(fd.get(), out)) return true;
  std::size_t filled = 0;
  for (;;) {
    if (filled == buffer_.size()) {
      if (buffer_.size() >= most_line_bytes) return true;
      buffer_.resize(buffer_.size() * 2);
    }
    const ssize_t got = read_some(fd.get(), buffer_.data() + filled, buffer_.size() - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
    const std::string_view text(buffer_.data(), filled);
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos) continue;
    keep_code_lines(text.substr(0, end), out, most_code_bytes);
    filled -= end + 1;
    std::memmove(buffer_.data(), buffer_.data() + end + 1, filled);
  }
  return true;
}

// The first thread may have ended, and then has no maps, while others run on. False when it was the last thread.
bool KernelProcSource::read_lines_of_any_thread(std::uint32_t tgid, std::string& out) {
  const std::string threads = std::to_string(tgid) + "/task";
  for (const std::uint32_t tid : numbers_in(proc_.get(), threads.c_str())) {
    if (tid == tgid) continue;
    if (read_code_lines(threads + "/" + std::to_string(tid) + "/maps", out) && !out.empty()) return true;
  }
  return is_alive(tgid);
}

// Reads the stat line "pid (comm) state ppid pgrp session tty tpgid flags …". comm may hold any characters, brackets
// too.
bool KernelProcSource::is_kernel_thread(std::uint32_t tgid) const {
  constexpr unsigned long kernel_thread_flag = 0x00200000;  // PF_KTHREAD
  const auto text = read_first_line("/proc/" + std::to_string(tgid) + "/stat");
  const std::size_t bracket = text ? text->rfind(')') : std::string::npos;
  if (bracket == std::string::npos) return false;
  char state = 0;
  unsigned long flags = 0;
  return std::sscanf(text->c_str() + bracket + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &flags) == 2 &&
         (flags & kernel_thread_flag) != 0;
}

bool KernelProcSource::read_comm(std::uint32_t tgid, std::string& out) const {
  const std::string path = std::to_string(tgid) + "/comm";
  const Fd fd(::openat(proc_.get(), path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  char comm[64];
  const ssize_t got = read_some(fd.get(), comm, sizeof comm);
  if (got < 0) return false;
  out.assign(comm, static_cast<std::size_t>(got));
  if (out.ends_with('\n')) out.pop_back();
  return true;
}

std::uint64_t KernelProcSource::mount_namespace(std::uint32_t tgid) {
  const std::string path = (tgid == 0 ? "self" : std::to_string(tgid)) + "/ns/mnt";
  struct stat found {};
  return ::fstatat(proc_.get(), path.c_str(), &found, 0) == 0 ? found.st_ino : 0;
}

std::optional<std::uint32_t> KernelProcSource::user_of(std::uint32_t tgid) {
  const auto owner = owner_of_process(tgid);
  return owner ? std::optional(owner->uid) : std::nullopt;
}

ProcSource::Device KernelProcSource::root_device() {
  const auto mount = own_mount_of("/");
  return mount ? Device{mount->device_major, mount->device_minor} : Device{};
}

}  // namespace profile
