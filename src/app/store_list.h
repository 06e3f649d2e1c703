// `profile store list URL`: what a store has samples of.
#pragma once

#include <string>

#include "app/parsed_options.h"

namespace profile {

// Returns the exit status. Throws Error.
int run_store_list(const ParsedOptions& parsed, const std::string& url);

}  // namespace profile
