// The perf maps of processes whose /tmp goes away with them: which are to be held, and when to look for each again. It
// asks nobody itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "process/file_keeper.h"

namespace profile {

class HeldPerfMaps {
 public:
  struct Held {
    FileNumber number = FileNumber::none;
    std::uint64_t size_bytes = 0;
  };
  // Asks for the map of the process, to be kept under that number. Returns the number of the question.
  using Ask = std::function<std::uint64_t(std::uint32_t tgid, FileNumber number)>;

  // As FileKeeper::hold_perf_map(). `number`: for a map that is new here.
  void want(std::uint32_t tgid, std::optional<std::uint32_t> user, FileNumber number);
  // Asks for the maps that are wanted and not open, for each at growing intervals.
  void ask_where_due(const Ask& ask);
  // The number under which the map is kept that the question asked for; `none`: it asked for no map. Call it when the
  // answer has come.
  [[nodiscard]] FileNumber take_asked(std::uint64_t question);
  // The map is open. False: it is not wanted any more.
  [[nodiscard]] bool note_open(const Held& map);
  // The open map of the process. nullopt: there is none.
  [[nodiscard]] std::optional<Held> find(std::uint32_t tgid) const;
  // The map is not wanted any more. Returns it if it is open.
  std::optional<Held> drop(std::uint32_t tgid);

 private:
  struct Wanted {
    Held map;
    std::optional<std::uint32_t> user;
    bool is_open = false;
    std::chrono::milliseconds patience{250};
    std::chrono::steady_clock::time_point ask_again;
  };
  std::map<std::uint32_t, Wanted> wanted_;               // by tgid
  std::unordered_map<std::uint64_t, FileNumber> asked_;  // by question
};

}  // namespace profile
