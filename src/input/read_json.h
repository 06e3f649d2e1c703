// The kinds of JSON that hold profiles, each into a profile that is empty. An Error says where it is not what it should
// be. Names that are not known are passed over; things may stand in any order.
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace profile {

// man/profile.schema.json, a document an interval.
void read_own_json(Profile& profile, std::string_view text, const std::string& name);
// https://www.speedscope.app/file-format-schema.json, both types of profile.
void read_speedscope(Profile& profile, std::string_view text, const std::string& name);
// --stream=json.
void read_stream_json(Profile& profile, std::string_view text, const std::string& name);

}  // namespace profile
