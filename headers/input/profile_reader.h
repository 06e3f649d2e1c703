// Reads profiles from files of this profiler and of other tools: folded lines, pprof, perf script, counted reports,
// JSON. The functions are pure: bytes in, a Profile out; input that is not a profile throws an Error that says where.
// The files are not trusted: sizes in them are checked, and memory stays within a small multiple of the uncompressed
// size of the file. Of text and JSON, which are read in pieces, only what the profile keeps is in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "model/profile.h"
#include "support/cpu_list.h"

namespace profile {

// Lines that do not belong to the format, because other programs have printed them in between.
struct AlienLines {
  std::uint64_t count = 0;
  std::string first;  // "FILE:LINE: why" for the first such line
};

// `of_run`: from its first sample, or from its beginning if the file tells that. `of_day`: from midnight, local time.
// `since_1970`: Unix time.
enum class ClockKind : std::uint8_t { of_run, of_day, since_1970 };

// Which samples of a file are wanted. A file that does not tell what is asked for is an Error: its samples could be
// any.
struct ReadRequest {
  std::optional<double> from_s;  // in seconds: samples from there on
  std::optional<double> to_s;    // and before that
  // What from_s and to_s count from; only a recording tells the others.
  ClockKind from_clock = ClockKind::of_run;
  ClockKind to_clock = ClockKind::of_run;
  std::vector<std::uint32_t> tgids;
  std::vector<std::uint32_t> tids;
  std::vector<std::string> names;  // of threads; "abc*" stands for every name that begins with "abc"
  CpuList cpus;
  std::string cgroup;  // the path of a group, with those below it; only a recording tells it
  std::string event;   // of a file that has several; "": the first
  // Only a store tells these (store/reader.h). "*" stands for any text.
  std::string service;
  std::string host;
  std::string version;    // its beginning
  std::string auth_path;  // of the file with the credentials for the store
  // The samples of a recording are kept with their times (Profile::timeline), if they are not too many.
  bool with_times = false;
  // Without `event`, each sample of a recording is given to the caller, not only those of its first event.
  bool all_events = false;

  // Whether nothing is left out.
  [[nodiscard]] bool is_all() const {
    return !from_s && !to_s && tgids.empty() && tids.empty() && names.empty() && cpus.empty() && cgroup.empty() &&
           event.empty() && !is_of_store();
  }
  // Whether it asks for what only a store tells.
  [[nodiscard]] bool is_of_store() const { return !service.empty() || !host.empty() || !version.empty(); }
};

// So many bytes of a file tell its format. The functions that recognise one get them, or the whole content.
inline constexpr std::size_t look_ahead_bytes = std::size_t{1} << 20;

// Of files whose values are fractions: 1000 for the unit "thousandths", and so on; 0 for any other unit.
[[nodiscard]] std::uint64_t parts_of_one(std::string_view unit);

// `name` is the name of the input in errors: "FILE: why", "FILE:LINE: why".

// Each line is "thread;root;...;leaf value". Facts that the format does not hold are not invented: frames have no
// address and processes have no pid.
//   - Frames that end in "_[k]" are kernel frames, "_[i]" inlined in the frame before, "_[j]" frames of a JIT.
//   - "-" and "--" between two frames separate user and kernel (-d); frames of the second part are kernel frames.
//   - "[incomplete: no CFI]" and the like (model/stack_end.h), outermost, say why the user stack ends there.
//   - "[Missed User Stack]" and "[Missed Kernel Stack]" stand for that stack; "[module+0xoff]" and "[unknown]" are
//   frames without a name.
//   - Empty lines are skipped, and lines that begin with "#". But "#name;stack 12" is a line of a thread.
//   - Fractions are counted in thousandths or smaller parts, which are then the unit.
//   - If each line has two counts, as difffolded.pl writes a comparison, the second one is the value. `before` gets the
//   profile of the first ones, if it is given.
// Lines of any other form are left out and counted in `aliens`, if it is given. A text with mostly such lines, and no
// frame in the others, throws Error.
[[nodiscard]] Profile read_folded(ByteSource bytes, const std::string& name, AlienLines* aliens = nullptr,
                                  std::optional<Profile>* before = nullptr);
// A pprof message, gzip-compressed or not. If samples have several values, the default value of the file is read, or
// else the last one. A value that counts samples is read too, if there is one. Frames that the file asks to drop are
// left out.
[[nodiscard]] Profile read_pprof(ByteSource bytes, const std::string& name);
// The output of `perf script`. In files of perf itself every sample counts as one, as most other readers do it. In our
// files a sample is weighted by its period, in the unit that a comment names. Only one event of the file is read.
// Lines of any other form are counted as above.
[[nodiscard]] Profile read_perf_script(ByteSource bytes, const std::string& name, AlienLines* aliens = nullptr,
                                       const ReadRequest& request = {});
// The counted format. Tables that may follow the stacks are not read.
[[nodiscard]] Profile read_counted(ByteSource bytes, const std::string& name);
// Our own JSON (only its stacks), speedscope's JSON, V8's .cpuprofile and the JSON of --stream.
[[nodiscard]] Profile read_json_profile(ByteSource bytes, const std::string& name, const ReadRequest& request = {});
// Any of these formats; the bytes tell which one.
[[nodiscard]] Profile read_profile(ByteSource bytes, const std::string& name, AlienLines* aliens = nullptr,
                                   const ReadRequest& request = {}, std::optional<Profile>* before = nullptr);
// Reads the file ("-": stdin).
[[nodiscard]] Profile read_profile_file(const std::string& path, AlienLines* aliens = nullptr,
                                        const ReadRequest& request = {}, std::optional<Profile>* before = nullptr);

}  // namespace profile
