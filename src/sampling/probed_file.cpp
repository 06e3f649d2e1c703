#include "sampling/probed_file.h"

#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "process/proc_maps.h"
#include "process/proc_source.h"
#include "support/end_request.h"
#include "support/error.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::size_t most_cache_bytes = 16 << 20;
// ENOTSUPP of the kernel, for which the C library has no name: the instruction at this place cannot be probed.
constexpr int not_supported_there = 524;

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Reads a number of the cache, which is in this machine's byte order; 0 when it lies outside of `bytes`.
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof number) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string_view text_at(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size()) return {};
  const auto end = bytes.find('\0', at);
  return end == std::string_view::npos ? std::string_view{} : bytes.substr(at, end - at);
}

std::vector<std::string> in_directory(const std::string& directory, std::string_view name) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (is_library_called(entry.path().filename().native(), name)) paths.push_back(entry.path().native());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The directory of this program's C library; empty when the library is part of the program.
std::string own_library_directory() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&::getpid), &library) == 0 || library.dli_fname[0] != '/') return {};
  return std::filesystem::path(library.dli_fname).parent_path().native();
}

std::vector<std::string> command_paths(const std::string& name) {
  std::vector<std::string> paths;
  const char* const variable = std::getenv("PATH");
  std::string_view directories = variable != nullptr ? variable : "/usr/sbin:/usr/bin:/sbin:/bin";
  while (!directories.empty()) {
    const std::string_view directory = directories.substr(0, directories.find(':'));
    directories.remove_prefix(std::min(directory.size() + 1, directories.size()));
    if (!directory.empty()) paths.push_back(std::string(directory) + "/" + name);
  }
  return paths;
}

std::optional<ProbedFile> find_mapped(FileProbes& probes, const std::string& name, std::span<const std::uint32_t> ids) {
  const bool is_path = name.find('/') != std::string::npos;
  for (const std::uint32_t id : ids) {
    for (const LoadedFile& file : mapped_files(id)) {
      const std::string_view file_name = file_name_of(file.path);
      const bool is_it = is_path ? file.path == name : file_name == name || is_library_called(file_name, name);
      if (!is_it) continue;
      if (auto opened = open_mapped_file(probes, file)) return opened;
    }
  }
  return std::nullopt;
}

}  // namespace

ProbedFile open_probed_file(FileProbes& probes, const std::string& path, const std::string& what) {
  std::string why;
  auto file = probes.open(path, why);
  if (!file) throw Error(what + ": " + path + ": " + why);
  return std::move(*file);
}

ProbedFile find_probed_file(FileProbes& probes, const std::string& name, std::span<const std::uint32_t> ids,
                            const std::string& what) {
  if (auto mapped = find_mapped(probes, name, ids)) return std::move(*mapped);
  if (name.find('/') != std::string::npos) return open_probed_file(probes, name, what);
  std::vector<std::string> paths = library_paths(name);
  for (std::string& path : command_paths(name)) paths.push_back(std::move(path));
  std::string why;
  std::optional<ProbedFile> narrow;  // a 32-bit file, used when there is no 64-bit one
  for (const std::string& path : paths) {
    auto file = probes.open(path, why);
    if (file && file->is_64bit) return std::move(*file);
    if (file && !narrow) narrow = std::move(file);
  }
  if (narrow) return std::move(*narrow);
  throw Error(what + ": no library or command " + name + " in the usual places; give its path");
}

std::vector<LoadedFile> mapped_files(std::uint32_t id) {
  KernelProcSource proc;
  ProcSnapshot snapshot;
  std::vector<LoadedFile> files;
  if (!proc.read(id, snapshot)) return files;
  const bool own_mounts = proc.mount_namespace(id) == proc.mount_namespace(0);
  std::string_view text = snapshot.code_lines;
  while (const auto entry = next_code_mapping(text)) {
    if (code_kind(entry->path, entry->file) != CodeKind::file) continue;
    files.push_back({entry->file, clean_path(entry->path), {id, own_mounts, entry->start, entry->end}});
  }
  return files;
}

std::optional<ProbedFile> open_mapped_file(FileProbes& probes, const LoadedFile& file) {
  std::string why;
  return probes.open_mapped(file.identity, file.path, file.mapped_by, why);
}

bool is_library_called(std::string_view file_name, std::string_view name) {
  // The C library of musl is also its dynamic linker.
  if (name == "libc" && (file_name.starts_with("ld-musl-") || file_name.starts_with("libc.musl-"))) return true;
  if (name.empty() || !file_name.starts_with(name)) return false;
  const std::string_view rest = file_name.substr(name.size());
  if (name.find(".so") != std::string_view::npos) return rest.empty() || rest[0] == '.';
  if (rest.starts_with(".so")) return rest.size() == 3 || rest[3] == '.';
  const bool has_version = rest.size() > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9';
  return has_version && rest.find(".so") != std::string_view::npos;
}

// The format is in dl-cache.h of glibc: a header of 48 bytes with the magic and the number of entries, then entries of
// 24 bytes. An entry has flags and the offsets of the library's name and path from the start of the header. An older
// layout may precede the header.
std::vector<std::string> find_in_library_cache(std::string_view cache, std::string_view name) {
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr std::size_t header_bytes = 48;
  constexpr std::size_t entry_bytes = 24;
  std::vector<std::string> exact;
  std::vector<std::string> similar;
  const auto begin = cache.find(magic);
  if (begin == std::string_view::npos) return exact;
  cache.remove_prefix(begin);
  const std::uint32_t count = number_at(cache, magic.size());
  for (std::size_t i = 0; i < count && header_bytes + (i + 1) * entry_bytes <= cache.size(); ++i) {
    const std::size_t entry = header_bytes + i * entry_bytes;
    const std::string_view library = text_at(cache, number_at(cache, entry + 4));
    const std::string_view path = text_at(cache, number_at(cache, entry + 8));
    if (!path.starts_with('/')) continue;
    if (library == name) exact.emplace_back(path);
    if (library != name && is_library_called(library, name)) similar.emplace_back(path);
  }
  exact.insert(exact.end(), similar.begin(), similar.end());
  return exact;
}

std::vector<std::string> library_paths(std::string_view name) {
  const std::string cache = read_text_file("/etc/ld.so.cache", most_cache_bytes).value_or("");
  std::vector<std::string> paths = find_in_library_cache(cache, name);
  // A system may have no cache. Its libraries are then often where this program's own C library is.
  for (const std::string& directory : {own_library_directory(), std::string("/lib64"), std::string("/usr/lib64"),
                                       std::string("/lib"), std::string("/usr/lib"), std::string("/usr/local/lib")}) {
    for (std::string& path : in_directory(directory, name)) paths.push_back(std::move(path));
  }
  return paths;
}

// For a probe the kernel allocates a page in each process that maps the file, from the memory of its cgroup. If one
// cgroup is at its limit, the whole probe fails until that cgroup has free memory, so the probe is tried again.
constexpr int most_tries = 20;
constexpr std::chrono::milliseconds pause_between_tries{50};

namespace {

// `try_once` returns what keeps the probes, or sets `error`.
template <class TryOnce>
auto tried(const std::string& what, TryOnce try_once) {
  int error = 0;
  auto made = try_once(error);
  for (int tries = 1; !made && error == ENOMEM && tries < most_tries; ++tries) {
    std::this_thread::sleep_for(pause_between_tries);
    made = try_once(error);
  }
  if (made) return made;
  if (error == not_supported_there) throw Error(what + ": the kernel cannot probe the instruction there");
  if (error == ENOMEM) {
    throw Error(what + ": cannot attach a probe: no memory, perhaps of a group (cgroup) that is at its limit");
  }
  throw system_error(what + ": cannot attach a probe", error);
}

}  // namespace

AttachedProbes attach_probes(FileProbes& probes, const bpf_program& program, const ProbedFile& file,
                             const ProbeGroup& group, bool has_links, const std::string& what) {
  AttachedProbes attached;
  if (has_links) {
    const Fd fd(::fcntl(bpf_program__fd(&program), F_DUPFD_CLOEXEC, 0));
    attached.link = tried(what, [&](int& error) { return probes.link(file, group, fd, error); });
    return attached;
  }
  for (const ProbeGroup::Place& place : group.places) {
    if (is_end_pressing()) break;  // each takes a tenth of a second
    const UserProbe probe{.offset = place.offset, .on_return = group.on_return, .tgid = group.tgid};
    attached.links.push_back(tried(what, [&](int& error) {
      Fd event = probes.probe(file, probe, error);
      if (!event) return BpfLink();
      LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = place.cookie);
      BpfLink link(bpf_program__attach_perf_event_opts(&program, event.get(), &options));
      error = errno;
      if (link) static_cast<void>(event.release());  // the link owns it now
      return link;
    }));
  }
  return attached;
}

}  // namespace profile
