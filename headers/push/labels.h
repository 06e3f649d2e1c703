// The labels of a profile in a store: host, service, version and the user's own.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace profile {

// By name, so that none is there twice.
using PushLabels = std::map<std::string, std::string, std::less<>>;

// Why a label given by the user is refused: its name is no name, or it is one of those that tell the services apart;
// its value is empty, too long or has characters that are not for a line. Empty: it is not refused.
[[nodiscard]] std::string refusal_of_label(std::string_view name, std::string_view value);

// The name of the kind of profile, as stores know it: process_cpu for CPU time, otherwise the event with its characters
// replaced that a name may not have.
[[nodiscard]] std::string profile_name_of(std::string_view event);

}  // namespace profile
