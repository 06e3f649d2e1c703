// Finds out which kind of JSON a file is, by the first member name that only one kind has, and reads it.
#include "input/read_json.h"

#include "input/json_nodes.h"
#include "input/profile_reader.h"
#include "input/stack_parts.h"
#include "support/error.h"

namespace profile {
namespace {

using Reader = void (*)(Profile&, std::string_view, const std::string&, SampleChoice&);

// Thrown to end the walk: the rest need not be looked at.
struct Found {};

// nullptr: the kind is not known.
Reader reader_of(std::string_view text, const std::string& name) {
  Reader reader = nullptr;
  JsonNode root;
  const auto tells = [&](std::string_view member, Reader of) {
    const auto found = [&reader, of] {
      reader = of;
      throw Found();
    };
    root[member].begin(found);
    root[member].number([found](const JsonNumber&) { found(); });
    root[member].text([found](std::string_view) { found(); });
  };
  tells("ebpf", read_own_json);
  tells("$schema", read_speedscope);
  tells("shared", read_speedscope);
  tells("profiles", read_speedscope);
  tells("time_unix_ns", read_stream_json);
  // One document is enough: all documents of a file are of the same kind.
  root.end([] { throw Found(); });
  try {
    read_json(text, name, root);
  } catch (const Found&) {
    return reader;
  }
  return reader;
}

}  // namespace

Profile read_json_profile(std::string_view text, const std::string& name, const ReadRequest& request) {
  const Reader read = reader_of(text, name);
  if (read == nullptr) {
    throw Error(name + ": JSON, but none that is known to be a profile: ours, speedscope's and that of --stream are");
  }
  Profile profile = unknown_profile();
  SampleChoice choice(request, name);
  read(profile, text, name, choice);
  return profile;
}

}  // namespace profile
