#include "sampling/allocators.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "parse/children.h"
#include "parse/file_probes.h"
#include "process/proc_source.h"

namespace profile {
namespace {

class Finder {
 public:
  explicit Finder(FileProbes& probes) : probes_(probes) {}

  void add_of(std::uint32_t id) {
    for (const MappedFile& file : mapped_files(id)) {
      const std::string_view path = file.path;
      if (!is_allocator_library(path.substr(path.rfind('/') + 1))) continue;
      if (!seen_.insert(file.identity).second) continue;
      if (auto opened = open_mapped_file(probes_, file)) add(std::move(*opened));
    }
  }

  void add_of_system() {
    for (const char* name : {"libc.so.6", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1"}) {
      for (const std::string& path : library_paths(name)) {
        std::string why;  // unused: the linker's cache may list files that do not exist
        if (auto opened = probes_.open(path, why)) add(std::move(*opened));
      }
    }
  }

  std::vector<Allocator> take() { return std::move(found_); }

 private:
  void add(ProbedFile file) {
    if (!file.is_64bit || !files_.insert({file.device, file.inode}).second) return;
    auto functions = probes_.allocator_functions(file);
    if (!functions.empty()) found_.push_back({std::move(file), std::move(functions)});
  }

  FileProbes& probes_;
  std::set<FileIdentity> seen_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files_;
  std::vector<Allocator> found_;
};

}  // namespace

bool is_allocator_library(std::string_view file_name) {
  constexpr std::string_view libraries[] = {"libc", "libjemalloc", "libtcmalloc", "libtcmalloc_minimal", "libmimalloc"};
  return std::any_of(std::begin(libraries), std::end(libraries),
                     [&](std::string_view name) { return is_library_called(file_name, name); });
}

std::vector<Allocator> find_allocators(const SamplingOptions& options) {
  Finder finder(options.children->probes());
  const bool some = !options.tgids.empty() || !options.tids.empty();
  for (const std::uint32_t id : options.tgids) finder.add_of(id);
  for (const std::uint32_t id : options.tids) finder.add_of(id);
  if (!some) finder.add_of_system();
  if (!some && !options.follow_children) {
    for (const std::uint32_t id : KernelProcSource().tgids()) finder.add_of(id);
  }
  return finder.take();
}

std::string file_with_malloc(const SamplingOptions& options) {
  FileProbes& probes = options.children->probes();
  for (const auto* ids : {&options.tgids, &options.tids}) {
    for (const std::uint32_t id : *ids) {
      for (const MappedFile& file : mapped_files(id)) {
        const auto opened = open_mapped_file(probes, file);
        if (!opened) continue;
        const NameSearch search = probes.search(*opened, "malloc", 0);
        probes.close(*opened);
        if (std::ranges::any_of(search.places,
                                [](const FoundSymbol& place) { return place.kind == FoundSymbol::Kind::function; })) {
          return file.path;
        }
      }
    }
  }
  return {};
}

}  // namespace profile
