// Reads the samples that are wanted of the kinds of JSON that hold profiles, each into an empty profile. An Error says
// where the JSON is wrong. Unknown members are skipped, and members may stand in any order.
#pragma once

#include <string>

#include "input/byte_source.h"
#include "input/sample_choice.h"
#include "model/profile.h"

namespace profile {

// The format of man/profile.schema.json, with one document per interval.
void read_own_json(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice);
// The format of https://www.speedscope.app/file-format-schema.json, both types of profile (sampled and evented).
void read_speedscope(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice);
// The .cpuprofile of V8: node, Chrome, Deno.
void read_cpu_profile(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice);
// The output of --stream=json.
void read_stream_json(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice);

}  // namespace profile
