#include "sampling/allocators.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "process/proc_source.h"
#include "support/error.h"
#include "symbol/elf_symbol_table.h"
#include "symbol/named_places.h"

namespace profile {
namespace {

constexpr std::pair<std::string_view, AllocatorCall> probed_functions[] = {
    {"malloc", AllocatorCall::bytes},
    {"calloc", AllocatorCall::product},
    {"realloc", AllocatorCall::moved},
    {"memalign", AllocatorCall::aligned},
    {"aligned_alloc", AllocatorCall::aligned},
    {"posix_memalign", AllocatorCall::aligned_by_place},
    {"valloc", AllocatorCall::bytes},
    {"pvalloc", AllocatorCall::bytes},
    {"free", AllocatorCall::free}};

// Others that libraries have beside them, by which the extent of the allocator's code is told. It contains functions
// that have no name to be looked up, and those are what calls the ones that have.
constexpr std::string_view other_functions[] = {"cfree",       "mallinfo",     "mallinfo2", "malloc_info",
                                                "malloc_trim", "malloc_stats", "mallopt",   "malloc_usable_size"};
// Code that is farther apart than this has been put in another order than that of its source.
constexpr std::uint64_t most_code_bytes = 64 << 10;

struct Found {
  AllocatorCall call;
  ElfAddress address;
};

struct Range {
  std::uint64_t begin = UINT64_MAX;
  std::uint64_t end = 0;
};

// What a file is, whatever leads to it.
std::pair<std::uint64_t, std::uint64_t> identity_of(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return {0, 0};
  return {found.st_dev, found.st_ino};
}

// The kernel emulates a push or a jump under a probe, but has the processor step over most other instructions, which
// costs many times as much, in a virtual machine tens of microseconds. `free` of glibc on x86-64 begins with
// "test %rdi,%rdi" and a conditional jump, before which nothing has changed that is looked at: the probe is put there.
FileOffset cheapest_place(const ElfFile& elf, FileOffset first) {
  std::array<unsigned char, 5> code{};
  if (!elf.read_at(first.value, std::as_writable_bytes(std::span(code)))) return first;
  const bool tests = code[0] == 0x48 && code[1] == 0x85 && code[2] == 0xff;
  const bool jumps = code[3] == 0x74 || (code[3] == 0x0f && code[4] == 0x84);
  return tests && jumps ? FileOffset{first.value + 3} : first;
}

class Finder {
 public:
  void add_of(std::uint32_t id) {
    for (const MappedFile& file : mapped_files(id)) {
      const std::string_view path = file.path;
      if (!is_allocator_library(path.substr(path.rfind('/') + 1))) continue;
      if (!seen_.insert(file.identity).second) continue;
      if (auto opened = open_mapped_file(file)) add(std::move(*opened));
    }
  }

  void add_of_system() {
    for (const char* name : {"libc.so.6", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1"}) {
      for (const std::string& path : library_paths(name)) {
        try {
          add(open_probed_file(path, "malloc"));
        } catch (const Error&) {
          // The cache may list what is not there.
        }
      }
    }
  }

  std::vector<Allocator> take() { return std::move(found_); }

 private:
  void add(ProbedFile file) {
    if (!file.elf.is_64bit() || !files_.insert(identity_of(file.fd.get())).second) return;
    auto functions = allocator_functions(file.elf);
    if (!functions.empty()) found_.push_back({std::move(file), std::move(functions)});
  }

  std::set<FileIdentity> seen_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files_;
  std::vector<Allocator> found_;
};

}  // namespace

bool is_allocator_library(std::string_view file_name) {
  constexpr std::string_view libraries[] = {"libc", "libjemalloc", "libtcmalloc", "libtcmalloc_minimal", "libmimalloc"};
  if (file_name.starts_with("ld-musl-") || file_name.starts_with("libc.musl-")) return true;
  return std::any_of(std::begin(libraries), std::end(libraries),
                     [&](std::string_view name) { return is_library_called(file_name, name); });
}

std::vector<AllocatorFunction> allocator_functions(const ElfFile& elf) {
  bool damaged = false;
  const auto table = ElfSymbolTable::find(elf, SHT_DYNSYM, damaged);
  if (!table) return {};
  std::vector<ElfTableSymbol> symbols;
  const bool whole = table->for_each([&](const ElfTableSymbol& symbol) {
    if (symbol.type == STT_FUNC) symbols.push_back(symbol);
  });
  if (!whole) return {};
  std::ranges::sort(symbols, {}, &ElfTableSymbol::name);

  ElfNameReader names(*table);
  std::vector<Found> found;
  Range code;
  for (const ElfTableSymbol& symbol : symbols) {
    const std::string_view name = names.read(symbol.name);
    const auto* const probed = std::find_if(std::begin(probed_functions), std::end(probed_functions),
                                            [&](const auto& known) { return known.first == name; });
    const bool is_probed = probed != std::end(probed_functions);
    if (!is_probed &&
        std::find(std::begin(other_functions), std::end(other_functions), name) == std::end(other_functions)) {
      continue;
    }
    code.begin = std::min(code.begin, symbol.start);
    code.end = std::max(code.end, symbol.start + symbol.size);
    if (is_probed) found.push_back({probed->second, {symbol.start}});
  }

  const bool is_together = code.end > code.begin && code.end - code.begin <= most_code_bytes;
  std::vector<AllocatorFunction> functions;
  std::set<std::uint64_t> places;  // one function may have two names
  for (const Found& function : found) {
    const auto offset = file_offset_of(elf, function.address);
    if (!offset || !places.insert(offset->value).second) continue;
    functions.push_back({.call = function.call, .offset = cheapest_place(elf, *offset)});
    if (!is_together) continue;
    functions.back().before_bytes = static_cast<std::uint32_t>(function.address.value - code.begin);
    functions.back().after_bytes = static_cast<std::uint32_t>(code.end - function.address.value);
  }
  return functions;
}

std::vector<Allocator> find_allocators(const SamplingOptions& options) {
  Finder finder;
  const bool some = !options.tgids.empty() || !options.tids.empty();
  for (const std::uint32_t id : options.tgids) finder.add_of(id);
  for (const std::uint32_t id : options.tids) finder.add_of(id);
  if (!some) finder.add_of_system();
  if (!some && !options.follow_children) {
    for (const std::uint32_t id : KernelProcSource().tgids()) finder.add_of(id);
  }
  return finder.take();
}

}  // namespace profile
