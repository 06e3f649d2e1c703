// Reads the options of --push.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/parsed_options.h"
#include "push/labels.h"
#include "push/target.h"

namespace profile {

struct PushOptions {
  std::vector<PushTarget> targets;  // empty: nothing is pushed
  PushLabels labels;                // the user's
  std::string spool;                // empty: none
  std::uint64_t spool_bytes = 0;
  std::string auth_file;  // empty: none
};

// Throws a usage Error.
[[nodiscard]] PushOptions push_options_of(const ParsedOptions& parsed);

}  // namespace profile
