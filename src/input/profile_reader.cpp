// Finds out the format of a file from its bytes, and calls the reader for it.
#include "input/profile_reader.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <utility>

#include "input/sample_choice.h"
#include "input/whole_file.h"
#include "support/error.h"

namespace profile {
namespace {

// Whether the bytes are a sequence of protocol buffer fields up to the end, each with a field number that pprof has. No
// text is.
bool is_made_of_fields(std::string_view bytes) {
  constexpr protozero::pbf_tag_type most = 15;  // of profile.proto
  try {
    protozero::pbf_reader fields(protozero::data_view(bytes.data(), bytes.size()));
    while (fields.next()) {
      if (fields.tag() > most) return false;
      fields.skip();
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

// Recognises a pprof file that is damaged or cut off, so that the error does not call it a bad line of text.
bool begins_with_fields(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 64);
  return start.starts_with('\n') && start.find_first_of(std::string_view("\0\1\2\3\4\5\6\7\10", 9)) != start.npos;
}

// What the file is instead of a profile, for users who gave the wrong file; empty when it is not known.
std::string_view other_kind(std::string_view bytes) {
  constexpr std::pair<std::string_view, std::string_view> beginnings[] = {
      {"[", "a JSON array, as no profile that is known"},
      {"<", "HTML or XML"},
      {"\x89PNG", "a PNG picture"},
      {"PERFILE2",
       "perf's own file; "
       "perf script makes text of it that can be read"}};
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  for (const auto& [beginning, kind] : beginnings) {
    if (bytes.starts_with(beginning)) return kind;
  }
  return {};
}

bool is_json_object(std::string_view bytes) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = bytes.find_first_not_of(blanks);
  if (begin == bytes.npos || bytes[begin] != '{') return false;
  // "{main};work 7" is a folded line from PHP, not JSON.
  const std::size_t next = bytes.find_first_not_of(blanks, begin + 1);
  return next == bytes.npos || bytes[next] == '"' || bytes[next] == '}';
}

// The compression of a file that cannot be read here; empty when there is none.
std::string_view packed_kind(std::string_view bytes) {
  if (bytes.starts_with("\xfd\x37zXZ")) return "xz";
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (bytes.starts_with("BZh") && bytes.size() > 4 && bytes.substr(4).starts_with("1AY&SY")) return "bzip2";
  return {};
}

// Text has no control bytes except tabs and line ends; a pprof message has them in its first tags and lengths.
bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes.substr(0, 4096),
                             [](unsigned char c) { return c >= ' ' || c == '\t' || c == '\n' || c == '\r'; });
}

bool is_pprof(std::string_view bytes) {
  return !is_text(bytes) && (is_made_of_fields(bytes) || begins_with_fields(bytes));
}

struct Input {
  std::string_view bytes;
  const std::string& name;  // in errors
  const ReadRequest& request;
  AlienLines* aliens;
};

Profile folded_of(const Input& in) {
  const std::string_view kind = other_kind(in.bytes);
  const auto refused = [&] { return Error(in.name + ": no profile, but " + std::string(kind)); };
  AlienLines found;
  try {
    Profile profile = read_folded(in.bytes, in.name, &found);
    // A line of another kind of file can end in a number by chance.
    if (!kind.empty() && found.count > profile.rows().size()) throw refused();
    if (in.aliens != nullptr) *in.aliens = std::move(found);
    return profile;
  } catch (const Error& error) {
    if (kind.empty()) throw;
    throw refused();
  }
}

// THE table of inputs. The first row that fits is the one.
struct InputFormat {
  bool (*is_it)(std::string_view bytes);
  Profile (*read)(const Input& in);
  bool chooses = false;  // it reads only the samples that are wanted; the rows of the others are chosen afterwards
};
constexpr InputFormat formats[] = {
    {.is_it = is_pprof, .read = [](const Input& in) { return read_pprof(in.bytes, in.name); }},
    {.is_it = is_json_object,
     .read = [](const Input& in) { return read_json_profile(in.bytes, in.name, in.request); },
     .chooses = true},
    {.is_it = is_perf_script,
     .read = [](const Input& in) { return read_perf_script(in.bytes, in.name, in.aliens, in.request); },
     .chooses = true},
    {.is_it = is_counted, .read = [](const Input& in) { return read_counted(in.bytes, in.name); }},
    // Any text may have folded lines in it.
    {.is_it = [](std::string_view) { return true; }, .read = folded_of}};

}  // namespace

Profile read_profile(std::string_view bytes, const std::string& name, AlienLines* aliens, const ReadRequest& request) {
  if (is_gzip(bytes)) {
    const std::string unpacked = gunzip(bytes, name);
    // Some gzip files unpack to themselves, which would never end.
    if (is_gzip(unpacked)) throw Error(name + ": compressed twice");
    return read_profile(unpacked, name, aliens, request);
  }
  const std::string_view packed = packed_kind(bytes);
  if (!packed.empty()) throw Error(name + ": " + std::string(packed) + "-compressed; unpack it first");
  const InputFormat& format = *std::ranges::find_if(formats, [&](const InputFormat& row) { return row.is_it(bytes); });
  Profile profile = format.read({.bytes = bytes, .name = name, .request = request, .aliens = aliens});
  if (!format.chooses) SampleChoice(request, name).choose_rows(profile);
  return profile;
}

Profile read_profile_file(const std::string& path, AlienLines* aliens, const ReadRequest& request) {
  return read_profile(read_whole_file(path), name_of_input(path), aliens, request);
}

}  // namespace profile
