#include "sampling/allocators.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "parse/children.h"
#include "parse/file_probes.h"
#include "process/proc_source.h"
#include "support/end_request.h"
#include "support/error.h"
#include "support/shares.h"

namespace profile {
namespace {

// The most functions with probes in files of other users than root. Each may need two descriptors.
constexpr std::uint64_t most_functions = 8192;
// Probes in files that make them fail may take seconds each, so the other files of the same user are left out then.
constexpr unsigned most_failed = 4;

constexpr const char* system_libraries[] = {"libc.so.6", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1"};

}  // namespace

bool is_allocator_library(std::string_view file_name) {
  constexpr std::string_view libraries[] = {"libc", "libjemalloc", "libtcmalloc", "libtcmalloc_minimal", "libmimalloc"};
  return std::any_of(std::begin(libraries), std::end(libraries),
                     [&](std::string_view name) { return is_library_called(file_name, name); });
}

std::vector<Allocator> find_allocators(const SamplingOptions& options) {
  FileProbes& probes = options.children->probes();
  std::vector<Allocator> found;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files;
  const auto add = [&](std::optional<ProbedFile> file) {
    if (!file) return;
    std::vector<AllocatorFunction> functions;
    const bool is_new = file->is_64bit && files.insert({file->device, file->inode}).second;
    if (is_new) functions = probes.allocator_functions(*file);
    if (functions.empty()) return probes.close(*file);
    found.push_back({std::move(*file), std::move(functions)});
  };
  std::set<FileIdentity> seen;
  const auto add_of = [&](std::uint32_t id) {
    for (const LoadedFile& file : mapped_files(id)) {
      const std::string_view path = file.path;
      if (!is_allocator_library(path.substr(path.rfind('/') + 1))) continue;
      if (seen.insert(file.identity).second) add(open_mapped_file(probes, file));
    }
  };
  std::ranges::for_each(options.tgids, add_of);
  std::ranges::for_each(options.tids, add_of);
  if (!options.tgids.empty() || !options.tids.empty()) return found;
  for (const char* name : system_libraries) {
    for (const std::string& path : library_paths(name)) {
      std::string why;  // unused: the linker's cache may list files that do not exist
      add(probes.open(path, why));
    }
  }
  if (!options.follow_children) std::ranges::for_each(KernelProcSource().tgids(), add_of);
  return found;
}

std::vector<std::string> attach_allocators(std::span<const Allocator> allocators, const AttachFunctions& attach) {
  constexpr std::uint64_t root = 0;
  std::set<const Allocator*> left_out;
  Shares shares(most_functions);
  for (const Allocator& allocator : allocators) {
    const bool may_have = shares.may_take(allocator.file.owner, allocator.functions.size());
    if (may_have) shares.take(allocator.file.owner, allocator.functions.size());
    if (!may_have) left_out.insert(&allocator);
  }
  std::map<std::uint64_t, unsigned> failed;  // how many files of each owner
  std::optional<Error> first_error;
  bool any_attached = false;
  for (const bool is_free : {true, false}) {
    for (const Allocator& allocator : allocators) {
      const std::uint64_t owner = allocator.file.owner;
      if (is_end_pressing()) break;
      if (failed[owner] >= most_failed) left_out.insert(&allocator);
      if (left_out.contains(&allocator)) continue;
      try {
        std::vector<AllocatorFunction> functions;
        std::ranges::copy_if(
            allocator.functions, std::back_inserter(functions),
            [is_free](const AllocatorFunction& function) { return (function.call == AllocatorCall::free) == is_free; });
        if (functions.empty()) continue;
        attach(allocator.file, functions);
        any_attached = true;
      } catch (const Error& error) {
        if (owner == root) throw;
        ++failed[owner];
        left_out.insert(&allocator);
        if (!first_error) first_error = error;
      }
    }
  }
  if (!any_attached && first_error) throw Error(*first_error);
  std::vector<std::string> paths;
  paths.reserve(left_out.size());
  for (const Allocator* const allocator : left_out) paths.push_back(allocator->file.path);
  return paths;
}

std::string file_with_malloc(const SamplingOptions& options) {
  FileProbes& probes = options.children->probes();
  for (const auto* ids : {&options.tgids, &options.tids}) {
    for (const std::uint32_t id : *ids) {
      for (const LoadedFile& file : mapped_files(id)) {
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
