// Finds out which kind of JSON a file is, by the first member name that only one kind has, and reads it.
#include "input/read_json.h"

#include "input/json_nodes.h"
#include "input/profile_reader.h"
#include "support/error.h"

namespace profile {
namespace {

enum class Kind : std::uint8_t { unknown, own, speedscope, stream };

// Thrown to end the walk: the rest need not be looked at.
struct Found {};

Kind kind_of(std::string_view text, const std::string& name) {
  Kind kind = Kind::unknown;
  JsonNode root;
  const auto tells = [&](std::string_view member, Kind of) {
    const auto found = [&kind, of] {
      kind = of;
      throw Found();
    };
    root[member].begin(found);
    root[member].number([found](const JsonNumber&) { found(); });
    root[member].text([found](std::string_view) { found(); });
  };
  tells("ebpf", Kind::own);
  tells("$schema", Kind::speedscope);
  tells("shared", Kind::speedscope);
  tells("profiles", Kind::speedscope);
  tells("time_unix_ns", Kind::stream);
  // One document is enough: all documents of a file are of the same kind.
  root.end([] { throw Found(); });
  try {
    read_json(text, name, root);
  } catch (const Found&) {
    return kind;
  }
  return kind;
}

}  // namespace

Profile read_json_profile(std::string_view text, const std::string& name) {
  Profile profile;
  profile.run.event.clear();
  profile.run.frequency_hz = 0;
  switch (kind_of(text, name)) {
    case Kind::own:
      read_own_json(profile, text, name);
      break;
    case Kind::speedscope:
      read_speedscope(profile, text, name);
      break;
    case Kind::stream:
      read_stream_json(profile, text, name);
      break;
    case Kind::unknown:
      throw Error(name + ": JSON, but none that is known to be a profile: ours, speedscope's and that of --stream are");
  }
  profile.account.is_known = false;
  return profile;
}

}  // namespace profile
