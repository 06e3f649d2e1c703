#include "sampling/probed_file.h"

#include <bpf/libbpf.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "process/file_opener.h"
#include "process/proc_maps.h"
#include "process/proc_source.h"
#include "support/error.h"
#include "support/place.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::size_t most_cache_bytes = 16 << 20;
// Linux's own number, which the C library has no name for: the instruction at a place cannot be probed.
constexpr int not_supported_there = 524;

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string in_proc(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Makes a ProbedFile of an open one; nullopt, and `why` says it, when it is no ELF file.
std::optional<ProbedFile> probed(Fd fd, std::string path, std::string& why) {
  auto elf = ElfFile::read(fd.get(), why);
  if (!elf) return std::nullopt;
  return ProbedFile{.fd = std::move(fd), .path = std::move(path), .elf = std::move(*elf)};
}

std::optional<ProbedFile> open_path(const std::string& path, std::string& why) {
  const Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  Mounts mounts;
  const auto look = place ? look_at(place, mounts, 0) : std::nullopt;
  if (look && look->refusal != nullptr) {
    why = look->refusal;
    return std::nullopt;
  }
  Fd fd = look ? reopen(place) : Fd();
  if (!fd) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  return probed(std::move(fd), path, why);
}

// A number of the cache's, which is written in this machine's own byte order.
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

std::optional<ProbedFile> find_mapped(const std::string& name, std::span<const std::uint32_t> ids) {
  const bool is_path = name.find('/') != std::string::npos;
  for (const std::uint32_t id : ids) {
    for (const MappedFile& file : mapped_files(id)) {
      const std::string_view file_name = file_name_of(file.path);
      const bool is_it = is_path ? file.path == name : file_name == name || is_library_called(file_name, name);
      if (!is_it) continue;
      if (auto opened = open_mapped_file(file)) return opened;
    }
  }
  return std::nullopt;
}

}  // namespace

ProbedFile open_probed_file(const std::string& path, const std::string& what) {
  std::string why;
  auto file = open_path(path, why);
  if (!file) throw Error(what + ": " + path + ": " + why);
  return std::move(*file);
}

ProbedFile find_probed_file(const std::string& name, std::span<const std::uint32_t> ids, const std::string& what) {
  if (auto mapped = find_mapped(name, ids)) return std::move(*mapped);
  if (name.find('/') != std::string::npos) return open_probed_file(name, what);
  std::vector<std::string> paths = library_paths(name);
  for (std::string& path : command_paths(name)) paths.push_back(std::move(path));
  std::string why;
  std::optional<ProbedFile> narrow;  // a 32-bit one, should there be no other
  for (const std::string& path : paths) {
    auto file = open_path(path, why);
    if (file && file->elf.is_64bit()) return std::move(*file);
    if (file && !narrow) narrow = std::move(file);
  }
  if (narrow) return std::move(*narrow);
  throw Error(what + ": no library or command " + name + " in the usual places; give its path");
}

std::vector<MappedFile> mapped_files(std::uint32_t id) {
  KernelProcSource proc;
  ProcSnapshot snapshot;
  std::vector<MappedFile> files;
  if (!proc.read(id, snapshot)) return files;
  const bool own_mounts = proc.mount_namespace(id) == proc.mount_namespace(0);
  std::string_view text = snapshot.code_lines;
  while (const auto entry = next_code_mapping(text)) {
    if (code_kind(entry->path, entry->file) != CodeKind::file) continue;
    files.push_back({entry->file, clean_path(entry->path), {id, own_mounts, entry->start, entry->end}});
  }
  return files;
}

std::optional<ProbedFile> open_mapped_file(const MappedFile& file) {
  OpenedFile opened = KernelFileOpener().open(file.identity, file.path, file.mapped_by);
  std::string why;
  return opened.fd ? probed(std::move(opened.fd), file.path, why) : std::nullopt;
}

bool is_library_called(std::string_view file_name, std::string_view name) {
  if (name.empty() || !file_name.starts_with(name)) return false;
  const std::string_view rest = file_name.substr(name.size());
  if (name.find(".so") != std::string_view::npos) return rest.empty() || rest[0] == '.';
  if (rest.starts_with(".so")) return rest.size() == 3 || rest[3] == '.';
  const bool has_version = rest.size() > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9';
  return has_version && rest.find(".so") != std::string_view::npos;
}

// After a header of 48 bytes, which begins with the magic and says how many there are, entries of 24 bytes: flags, and
// where the library's name and its path stand, counted from the start of the header. (dl-cache.h of glibc; an older
// layout may stand before it.)
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
  for (const char* directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}) {
    for (std::string& path : in_directory(directory, name)) paths.push_back(std::move(path));
  }
  return paths;
}

BpfLink attach_probe(const bpf_program& program, const ProbePlace& place, const std::string& what) {
  LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = place.cookie, .retprobe = place.on_return);
  const int pid = place.tgid ? static_cast<int>(*place.tgid) : -1;
  BpfLink link(bpf_program__attach_uprobe_opts(&program, pid, in_proc(place.fd).c_str(), place.offset.value, &options));
  if (link) return link;
  if (errno == not_supported_there) throw Error(what + ": the kernel cannot probe the instruction there");
  throw system_error(what + ": cannot attach a probe", errno);
}

}  // namespace profile
