// The interface to files that get user probes: it answers questions about such a file, and puts a probe there. Our
// children open, read and probe these files, as they do with all untrusted files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "process/code_file.h"
#include "support/fd.h"

namespace profile {

struct FoundSymbol {
  enum class Kind : std::uint8_t {
    function,
    resolver,  // it only chooses the function that is meant, once, when the program starts (IFUNC)
    data,
    count
  };
  std::string name;  // as the file spells it, without a version
  ElfAddress address;
  std::uint64_t size_bytes = 0;  // 0: not known
  Kind kind = Kind::function;
  std::optional<FileOffset> offset;  // none: no loaded segment has it
};

struct NameSearch {
  // By address, each once: versions of a function, or static functions that happen to share a name. Empty: no place has
  // that name.
  std::vector<FoundSymbol> places;
  // When `places` is empty: existing names that are not much longer, for a suggestion.
  std::vector<std::string> names;
  bool was_given_up = false;  // reading the names did not come to an end, so the file may have the name
};

// The kinds of an allocator's functions. Functions of one kind have the same arguments and results.
enum class AllocatorCall : std::uint8_t {
  bytes,             // f(bytes): malloc, valloc, pvalloc
  product,           // calloc(count, bytes)
  moved,             // realloc(memory, bytes)
  aligned,           // f(alignment, bytes): memalign, aligned_alloc
  aligned_by_place,  // posix_memalign(&memory, alignment, bytes)
  free,              // free(memory)
  count
};

struct AllocatorFunction {
  AllocatorCall call = AllocatorCall::bytes;
  FileOffset offset;  // at its first instruction, or behind an instruction that changes nothing
  // How many bytes of the allocator's code lie before its first instruction and after it. A call that returns into this
  // range is the allocator's call to itself. Both are 0 when the range is not known.
  std::uint32_t before_bytes = 0;
  std::uint32_t after_bytes = 0;
};

// An open ELF file for a kind of machine that can be probed here.
struct ProbedFile {
  FileNumber number = FileNumber::none;
  std::string path;  // for messages
  bool is_64bit = true;
  std::uint64_t device = 0;  // device and inode together identify one file
  std::uint64_t inode = 0;
  std::uint64_t owner = 0;  // as CodeFile::owner()
};

struct UserProbe {
  FileOffset offset;
  bool on_return = false;
  std::optional<std::uint32_t> tgid = std::nullopt;  // only in this process
};

// Probes of one program in one file.
struct ProbeGroup {
  struct Place {
    FileOffset offset;
    std::uint64_t cookie = 0;  // for bpf_get_attach_cookie()
  };
  std::vector<Place> places;
  bool on_return = false;
  std::optional<std::uint32_t> tgid = std::nullopt;  // only in this process
};

class FileProbes {
 public:
  virtual ~FileProbes() = default;
  // Opens a regular file at `path`, or a file that a process has mapped. nullopt: `why` says why not, to follow the
  // path and a colon.
  [[nodiscard]] virtual std::optional<ProbedFile> open(const std::string& path, std::string& why) = 0;
  [[nodiscard]] virtual std::optional<ProbedFile> open_mapped(const FileIdentity& identity, const std::string& path,
                                                              const MappedBy& mapped_by, std::string& why) = 0;
  virtual void close(const ProbedFile& file) = 0;
  // Looks for `name` in the symbol tables of the file, then in its tables that are elsewhere. If no table has the name,
  // it is compared with the demangled names, with and without parameters. The offsets belong to the places `added`
  // bytes behind the addresses.
  [[nodiscard]] virtual NameSearch search(const ProbedFile& file, std::string_view name, std::uint64_t added) = 0;
  // Empty when the file is no allocator.
  [[nodiscard]] virtual std::vector<AllocatorFunction> allocator_functions(const ProbedFile& file) = 0;
  // A perf event of each hit, not yet enabled. No Fd: `error` says why, as errno does.
  [[nodiscard]] virtual Fd probe(const ProbedFile& file, const UserProbe& probe, int& error) = 0;
  // A link (bpf(2)) that runs the program at all places, for a kernel that has such links and a program that was loaded
  // for them. No Fd: likewise.
  [[nodiscard]] virtual Fd link(const ProbedFile& file, const ProbeGroup& group, const Fd& program, int& error) = 0;
};

}  // namespace profile
