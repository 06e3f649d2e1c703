// Files that user probes are put into: what is asked of them, and the act of putting a probe there. Like all files of
// strangers they are opened, read and probed by children of ours.
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
  // By address, each once: versions of a function, or static functions that happen to share a name. Empty: there is
  // none of that name.
  std::vector<FoundSymbol> places;
  // When it is empty: names that there are and that are not much longer, for a suggestion.
  std::vector<std::string> names;
  bool was_given_up = false;  // it may have the name: reading its names did not come to an end
};

// Functions of an allocator whose arguments and results are alike.
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
  FileOffset offset;  // at its first instruction, or behind one that changes nothing
  // How many bytes of the allocator's code lie before its first instruction and after it: a call that returns to there
  // is one of the allocator's to itself. Both 0 when that cannot be told.
  std::uint32_t before_bytes = 0;
  std::uint32_t after_bytes = 0;
};

// An open ELF file of a machine's kind that can be probed here.
struct ProbedFile {
  std::uint64_t number = 0;
  std::string path;  // for messages
  bool is_64bit = true;
  std::uint64_t device = 0;  // these two are the same for one file only
  std::uint64_t inode = 0;
};

struct UserProbe {
  FileOffset offset;
  bool on_return = false;
  std::optional<std::uint32_t> tgid = std::nullopt;  // only in this process
};

class FileProbes {
 public:
  virtual ~FileProbes() = default;
  // A regular file at `path`, or one that a process has mapped. nullopt: `why` says why not, to follow the path and a
  // colon.
  [[nodiscard]] virtual std::optional<ProbedFile> open(const std::string& path, std::string& why) = 0;
  [[nodiscard]] virtual std::optional<ProbedFile> open_mapped(const FileIdentity& identity, const std::string& path,
                                                              const MappedBy& mapped_by, std::string& why) = 0;
  virtual void close(const ProbedFile& file) = 0;
  // Looks for `name` in the symbol tables of the file, then in those that are elsewhere. A name that none has as it
  // stands is compared with the demangled ones, with and without parameters. The offsets are of the places `added`
  // bytes behind the addresses.
  [[nodiscard]] virtual NameSearch search(const ProbedFile& file, std::string_view name, std::uint64_t added) = 0;
  // None when it is no allocator.
  [[nodiscard]] virtual std::vector<AllocatorFunction> allocator_functions(const ProbedFile& file) = 0;
  // A perf event of each hit, not enabled. No Fd: `error` says why, as errno does.
  [[nodiscard]] virtual Fd probe(const ProbedFile& file, const UserProbe& probe, int& error) = 0;
};

}  // namespace profile
