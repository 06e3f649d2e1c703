// The code mappings of one address space, ordered by address, never overlapping. Shared between a process and its
// forks, so kept small: 32 bytes a mapping.
#pragma once

#include <cstdint>
#include <vector>

#include "process/proc_maps.h"

namespace profile {

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;     // the first address behind it
  std::uint64_t offset = 0;  // of `start` in the file; 0 for anonymous memory
  std::uint32_t file = 0;    // CodeFiles::Id; only for CodeKind::file
  CodeKind kind = CodeKind::file;
};

class MappingTable {
 public:
  // False: the table began in the middle of the process's life and its mappings are still to be read from /proc.
  bool complete = true;

  // nullptr when nothing is mapped there.
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;
  // Whether the table says of every address of `mapping` already what `mapping` says.
  [[nodiscard]] bool covers(const Mapping& mapping) const;
  // Whether `mapping` can be put without changing what any address means.
  [[nodiscard]] bool agrees(const Mapping& mapping) const;
  // Whether anything is mapped in its range.
  [[nodiscard]] bool touches(const Mapping& mapping) const;
  // Puts it in place of whatever was in its range.
  void put(const Mapping& mapping);
  // Leaves out what nobody has mapped any more.
  template <class IsGone>
  void remove(const IsGone& is_gone) {
    std::erase_if(mappings_, is_gone);
  }
  void shrink() { mappings_.shrink_to_fit(); }
  [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }

 private:
  [[nodiscard]] std::vector<Mapping>::const_iterator first_behind(std::uint64_t address) const;
  std::vector<Mapping> mappings_;
};

}  // namespace profile
