// Names and lines of code that run-times make in memory, out of what they tell profilers of it: the jitdump that a
// process has mapped, else its perf map. Of one time only: the memory of code that was thrown away is used again.
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
  // All must outlive this.
  JitNames(ProcessTimeline& timeline, FileReader& reader, StringTable& strings, const SymbolOptions& options);

  // A new one is pending.
  Answer* at(ProcessId process, RuntimeAddress address) { return answers_[process].at({.at = address.value}); }
  // After it none is.
  void resolve(const Profile& profile);
  // The next time begins.
  void forget();

 private:
  std::vector<CodeOffset> ask(std::uint32_t tgid, const FileReader::JitMapRef& map, std::vector<CodeOffset> places,
                              SymbolCache& answers);

  ProcessTimeline& timeline_;
  FileReader& reader_;
  StringTable& strings_;
  Allowance map_bytes_;
  bool with_lines_;
  std::unordered_map<ProcessId, SymbolCache> answers_;
};

}  // namespace profile
