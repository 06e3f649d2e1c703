// Tells the version in a symbol's name from the name: linkers write "memcpy@GLIBC_2.2.5" and "memcpy@@GLIBC_2.14" into
// .symtab. Some compilers have "@" inside the names of their functions, so only a version of the file is one.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "elf/file.h"

namespace profile {

class SymbolVersions {
 public:
  // `file` must outlive this. It is read when a name first needs it.
  explicit SymbolVersions(const ElfFile& file) : file_(&file) {}
  // The name without the version that it ends in; the whole name when it has none. Never empty for a name.
  [[nodiscard]] std::string_view without_version(std::string_view name);

 private:
  [[nodiscard]] bool defines(std::string_view version);
  void read();

  const ElfFile* file_;
  bool is_read_ = false;
  bool are_elsewhere_ = false;  // this is a debug file, which has the section's header without its bytes
  std::set<std::string, std::less<>> versions_;
};

}  // namespace profile
