// Finds names and lines of code that run-times make in memory, out of what run-times tell profilers: the jitdump that a
// process has mapped, or else its perf map. The names hold for one batch only, because the memory of discarded code is
// used again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/address.h"
#include "model/profile.h"
#include "model/string_table.h"
#include "parse/file_reader.h"
#include "support/effort.h"
#include "symbol/symbol_cache.h"
#include "symbol/symboliser.h"

namespace profile {

class ProcessTimeline;

class JitNames {
 public:
  // All arguments must outlive this.
  JitNames(ProcessTimeline& timeline, FileReader& reader, StringTable& strings, const SymbolOptions& options);

  // The answer for a place. A new answer is pending.
  Answer* at(ProcessId process, RuntimeAddress address) { return answers_[process].at(address); }
  // Afterwards no answer is pending.
  void resolve(const Profile& profile);
  // Begins the next batch: forgets all answers.
  void forget();

 private:
  [[nodiscard]] FileReader::JitMapRef perf_map_of(const Process& process);
  std::vector<RuntimeAddress> ask(std::uint32_t tgid, const FileReader::JitMapRef& map,
                                  std::vector<RuntimeAddress> places, SymbolCache<RuntimeAddress>& answers);

  ProcessTimeline& timeline_;
  FileReader& reader_;
  StringTable& strings_;
  OwnerAllowances map_bytes_;
  bool with_lines_;
  std::unordered_map<ProcessId, SymbolCache<RuntimeAddress>> answers_;
};

}  // namespace profile
