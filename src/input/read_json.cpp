// Finds out which kind of JSON a file is, by the first member name that only one kind has, and reads it.
#include "input/read_json.h"

#include <string_view>

#include "input/json_nodes.h"
#include "input/profile_reader.h"
#include "input/stack_parts.h"
#include "support/error.h"

namespace profile {
namespace {

using Reader = void (*)(Profile&, ByteSource&, const std::string&, SampleChoice&);

// What the member of a document tells: the reader for it, or the words for a kind that cannot be read.
struct Kind {
  std::string_view member;
  Reader reader;
  std::string_view other = {};
};
constexpr Kind kinds[] = {
    {"ebpf", read_own_json},
    {"$schema", read_speedscope},
    {"shared", read_speedscope},
    {"profiles", read_speedscope},
    {"time_unix_ns", read_stream_json},
    {"nodes", read_cpu_profile},
    {"timeDeltas", read_cpu_profile},
    {"traceEvents", nullptr, "Chrome's trace; https://www.speedscope.app opens it and exports a file that can be read"},
    {"snapshot", nullptr, "V8's heap snapshot, which has no stacks"},
    {"head", nullptr, "a profile of V8 in a form without a list of nodes"}};

// Thrown to end the walk: the rest need not be looked at.
struct Found {
  const Kind* kind;
};

// nullptr: the kind is not known.
const Kind* kind_in(ByteSource bytes, const std::string& name) {
  JsonNode root;
  for (const Kind& kind : kinds) {
    const auto found = [&kind] { throw Found{&kind}; };
    root[kind.member].begin(found);
    root[kind.member].number([found](const JsonNumber&) { found(); });
    root[kind.member].text([found](std::string_view) { found(); });
  }
  // One document is enough: all documents of a file are of the same kind.
  root.end([] { throw Found{nullptr}; });
  try {
    read_json(bytes, name, root);
  } catch (const Found& found) {
    return found.kind;
  }
  return nullptr;
}

// The member may stand behind large ones, so the whole content is looked at if its beginning does not tell.
const Kind* kind_of(ByteSource& bytes, const std::string& name) {
  const std::string_view start = bytes.ahead(look_ahead_bytes);
  try {
    return kind_in(start, name);
  } catch (const Error&) {
    if (start.size() < look_ahead_bytes) throw;
  }
  return kind_in(bytes.whole(), name);
}

}  // namespace

Profile read_json_profile(ByteSource bytes, const std::string& name, const ReadRequest& request) {
  const Kind* const kind = kind_of(bytes, name);
  if (kind == nullptr) {
    throw Error(name +
                ": JSON, but none that is known to be a profile: ours, speedscope's, V8's and that of --stream are");
  }
  if (kind->reader == nullptr) throw Error(name + ": no profile that can be read, but " + std::string(kind->other));
  Profile profile = unknown_profile();
  SampleChoice choice(request, name);
  kind->reader(profile, bytes, name, choice);
  return profile;
}

}  // namespace profile
