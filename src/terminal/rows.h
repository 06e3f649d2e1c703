// The rows of the tables of --top: the samples that the user has chosen, added up, filtered and sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "terminal/history.h"
#include "terminal/sums.h"

namespace profile {

enum class TopWhat : std::uint8_t { functions, processes, stacks };
enum class TopSort : std::uint8_t { self, total, name };  // for processes and stacks `self` is the share

// What the user has chosen to see.
struct TopChoice {
  TopWhat what = TopWhat::functions;
  TopSort sort = TopSort::self;
  TopPart part = TopPart::both;
  double window_s = 0;            // 0: since the start
  std::string_view filter;        // a part of the name, whatever the case of its letters
  bool merges_processes = false;  // processes of one name are one
  std::uint64_t process = 0;      // by identity; 0: all processes
  std::uint64_t function = 0;     // by identity: only stacks with this function; 0: all stacks
};

struct TopRow {
  std::uint64_t identity = 0;             // stays the same from one second to the next
  TopTable::Index item = TopTable::none;  // the function, the process or the node
  StringId process = StringId::empty;     // only for a stack: the name of its process
  TopSum value;                           // for processes and stacks self and total are equal
  std::size_t processes = 1;              // that the row stands for, if processes of one name are one
};

struct TopRows {
  // Tables end at this many rows: users do not scroll further, and the work per second stays small.
  static constexpr std::size_t most = 1000;

  std::vector<TopRow> rows;
  std::size_t count = 0;           // of all rows, also of those cut off by `most`
  std::uint64_t total = 0;         // of the samples of the chosen part and process
  std::uint64_t total_of_all = 0;  // of all samples in the same time
};

[[nodiscard]] TopRows top_rows(const TopRecording& recording, const TopChoice& choice);

// The identity of the process, or that of all processes of its name if they are merged.
[[nodiscard]] std::uint64_t identity_of(const TopTable& table, TopTable::Index process, bool merges_processes);

}  // namespace profile
