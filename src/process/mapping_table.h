// The code mappings of one address space, ordered by address, never overlapping. A process shares the table with its
// forks, so a mapping is kept small: 32 bytes.
#pragma once

#include <cstdint>
#include <span>
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
  // False: the table began in the middle of the process's life, and its mappings must still be read from /proc.
  bool complete = true;

  // nullptr when nothing is mapped there.
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;
  // Whether every address of `mapping` already has the same code in the table.
  [[nodiscard]] bool covers(const Mapping& mapping) const;
  // Whether put(mapping) would keep the meaning of every address.
  [[nodiscard]] bool agrees(const Mapping& mapping) const;
  // Whether anything is mapped in the range of `mapping`.
  [[nodiscard]] bool touches(const Mapping& mapping) const;
  // Puts `mapping` in place of everything in its range.
  void put(const Mapping& mapping);
  // The same for many mappings, in ascending order, none over another. Its time grows with the sum of both sizes, where
  // single calls move the rest of the table each time.
  void put_all(std::span<const Mapping> ascending);
  // Removes the mappings that are gone.
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
