// Tells a user who sees an empty result, or one of few samples, what was left out, and what to try.
#pragma once

#include <string>

#include "model/account.h"
#include "model/profile.h"

namespace profile {

// One line without a newline: "nothing was recorded: all 196 samples were of other processes; PID 3241 slept: -e
// off-cpu shows where". Empty when something was recorded, or when the account is not known.
[[nodiscard]] std::string why_nothing(const RunInfo& run, const Account& account);
// "the 883 filtered samples are of other cgroups", if these are most of the samples and something was recorded. Empty
// if nothing is left out but what -p, -L, -C and a command leave out.
[[nodiscard]] std::string what_was_filtered(const RunInfo& run, const Account& account);

}  // namespace profile
