// Finds out the format of a file from its bytes, and calls the reader for it.
#include "input/profile_reader.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <utility>

#include "input/sample_choice.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {

// Each is in the file of its reader. A format is only that file and its row in the table below.
bool is_perf_script(std::string_view start);
bool is_counted(std::string_view start);

namespace {

// Whether the bytes are a sequence of protocol buffer fields up to the end, each with a field number that pprof has. No
// text is. Of the start of a larger file, the last field may be cut off.
bool is_made_of_fields(std::string_view bytes) {
  constexpr protozero::pbf_tag_type most = 15;  // of profile.proto
  try {
    protozero::pbf_reader fields(protozero::data_view(bytes.data(), bytes.size()));
    while (fields.next()) {
      if (fields.tag() > most) return false;
      fields.skip();
    }
    return true;
  } catch (const protozero::end_of_buffer_exception&) {
    return bytes.size() >= look_ahead_bytes;
  } catch (const protozero::exception&) {
    return false;
  }
}

// Recognises a pprof file that is damaged or cut off, so that the error does not call it a bad line of text.
bool begins_with_fields(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 64);
  return start.starts_with('\n') && start.find_first_of(std::string_view("\0\1\2\3\4\5\6\7\10", 9)) != start.npos;
}

// bpftrace prints a map of stacks as "@[", a frame a line, and "]: COUNT".
bool is_bpftrace(std::string_view start) {
  bool has_stack = false;
  while (!start.empty()) {
    const std::string_view line = take_until(start, '\n');
    const std::size_t bracket = line.find('[');
    if (line.starts_with('@') && bracket + 1 == line.size()) has_stack = true;
    if (has_stack && (line.starts_with("]: ") || (line.starts_with(", ") && line.find("]: ") != line.npos)))
      return true;
  }
  return false;
}

// What the file is instead of a profile, for users who gave the wrong file; empty when it is not known.
std::string_view other_kind(std::string_view start) {
  constexpr std::pair<std::string_view, std::string_view> beginnings[] = {
      {"\x89PNG", "a PNG picture"},
      {"SQLite format 3", "a recording, which is read from an ordinary file, and not through a pipe or compressed"},
      {std::string_view("FLR\0", 4),
       "a recording of Java's Flight Recorder; jfrconv -o collapsed, of async-profiler, makes folded lines of it"},
      {"# callgrind format", "callgrind's file; callgrind_annotate shows it"},
      {"goroutine profile: total ", "Go's goroutines as text; without ?debug=1 they are pprof"},
      {"# To display the perf.data header info", "perf report's table; the text of perf script can be read"},
      {"PERFILE2",
       "perf's own file; "
       "perf script makes text of it that can be read"}};
  for (const auto& [beginning, kind] : beginnings) {
    if (start.starts_with(beginning)) return kind;
  }
  if (is_bpftrace(start)) return "bpftrace's stacks; FlameGraph's stackcollapse-bpftrace.pl makes folded lines of them";
  return {};
}

// The same of text that might yet be folded lines.
std::string_view likely_kind(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (start.starts_with('<')) return "HTML or XML";
  if (!start.starts_with('[')) return {};
  constexpr std::string_view chrome =
      "a JSON array, as of Chrome's trace; https://www.speedscope.app opens that and exports a file that can be read";
  const std::size_t next = start.find_first_not_of(" \t\r\n", 1);
  return next != start.npos && start[next] == '{' ? chrome : "a JSON array, as no profile that is known";
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

bool is_pprof(std::string_view start) {
  return !is_text(start) && (is_made_of_fields(start) || begins_with_fields(start));
}

Error not_a_profile(const std::string& name, std::string_view kind) {
  return Error(name + ": no profile, but " + std::string(kind));
}

struct Input {
  ByteSource bytes;
  const std::string& name;  // in errors
  const ReadRequest& request;
  AlienLines* aliens;
  std::optional<Profile>* before;
};

Profile folded_of(Input in) {
  const std::string_view kind = likely_kind(in.bytes.ahead(look_ahead_bytes));
  AlienLines found;
  try {
    Profile profile = read_folded(std::move(in.bytes), in.name, &found, in.before);
    // A line of another kind of file can end in a number by chance.
    if (!kind.empty() && found.count > profile.rows().size()) throw not_a_profile(in.name, kind);
    if (in.aliens != nullptr) *in.aliens = std::move(found);
    return profile;
  } catch (const ReadError&) {
    throw;
  } catch (const Error& error) {
    if (kind.empty()) throw;
    throw not_a_profile(in.name, kind);
  }
}

// THE table of inputs. The first row that fits is the one.
struct InputFormat {
  bool (*is_it)(std::string_view start) = nullptr;
  Profile (*read)(Input in) = nullptr;
  bool chooses = false;  // it reads only the samples that are wanted; the rows of the others are chosen afterwards
};
constexpr InputFormat formats[] = {
    {.is_it = [](std::string_view start) { return !other_kind(start).empty(); },
     .read = [](Input in) -> Profile { throw not_a_profile(in.name, other_kind(in.bytes.ahead(look_ahead_bytes))); }},
    {.is_it = is_pprof, .read = [](Input in) { return read_pprof(std::move(in.bytes), in.name); }},
    {.is_it = is_json_object,
     .read = [](Input in) { return read_json_profile(std::move(in.bytes), in.name, in.request); },
     .chooses = true},
    {.is_it = is_counted, .read = [](Input in) { return read_counted(std::move(in.bytes), in.name); }},
    {.is_it = is_perf_script,
     .read = [](Input in) { return read_perf_script(std::move(in.bytes), in.name, in.aliens, in.request); },
     .chooses = true},
    // Any text may have folded lines in it.
    {.is_it = [](std::string_view) { return true; }, .read = folded_of}};

}  // namespace

Profile read_profile(ByteSource bytes, const std::string& name, AlienLines* aliens, const ReadRequest& request,
                     std::optional<Profile>* before) {
  const bool is_packed = is_gzip(bytes.ahead(2));
  if (is_packed) bytes = gunzipped(std::move(bytes), name);
  const std::string_view start = bytes.ahead(look_ahead_bytes);
  // Some gzip files unpack to themselves, which would never end.
  if (is_packed && is_gzip(start)) throw Error(name + ": compressed twice");
  const std::string_view packed = packed_kind(start);
  if (!packed.empty()) throw Error(name + ": " + std::string(packed) + "-compressed; unpack it first");
  const InputFormat& format = *std::ranges::find_if(formats, [&](const InputFormat& row) { return row.is_it(start); });
  Profile profile =
      format.read({.bytes = std::move(bytes), .name = name, .request = request, .aliens = aliens, .before = before});
  if (!format.chooses) SampleChoice(request, name).choose_rows(profile);
  if (before != nullptr && *before) SampleChoice(request, name).choose_rows(**before);
  return profile;
}

Profile read_profile_file(const std::string& path, AlienLines* aliens, const ReadRequest& request,
                          std::optional<Profile>* before) {
  return read_profile(open_input(path), name_of_input(path), aliens, request, before);
}

}  // namespace profile
