// What the subcommands that read profiles from files share: their options, their help, and the reading of the files.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parsed_options.h"
#include "app/subcommands.h"
#include "input/profile_reader.h"
#include "model/profile.h"
#include "output/frame_edits.h"
#include "push/asker.h"
#include "store/reader.h"

namespace profile {

// Throws a usage Error for an option that the command does not take.
[[nodiscard]] ParsedOptions parse_reading(const Subcommand& command, std::span<const char* const> arguments);
// The file names of the command line, in their order; "-" is stdin. Throws a usage Error for an empty name, and for
// stdin given twice.
[[nodiscard]] std::vector<std::string> files_of(const Subcommand& command, const ParsedOptions& parsed);
// Whether it is a recording. That is read by its path, because SQLite wants files that may lie beside it.
[[nodiscard]] bool is_recording_file(const std::string& path);
// Whether it tells the time of each sample, or of the tick that it belongs to: a recording, or the URL of a store.
[[nodiscard]] bool tells_times(const std::string& path);
// Starts to ask the store of this URL. `note` is called with a warning. Throws Error.
[[nodiscard]] std::unique_ptr<StoreAsker> asker_of(const std::string& url, const std::string& auth_path,
                                                   const std::function<void(const std::string&)>& note);
// The asker must outlive it.
[[nodiscard]] AskStore asking(StoreAsker& asker);
// Which samples of the files are wanted: --from, --to, -p, -L, --comm, -C and -e. Throws a usage Error.
[[nodiscard]] ReadRequest request_of(const ParsedOptions& parsed);
// The value of an option that is a part of a run: "0:10" in seconds, or "14:03:10..14:05" with any two times that
// --from takes; one of them may be missing. Replaces the times of `request`. Throws a usage Error.
void choose_times(ReadRequest& request, const char* name, const std::string& typed);
// Prints the lines of --help for the options of `command`, with the texts of the table of options.
void print_options(std::ostream& out, const Subcommand& command);

// A profile and its name in messages.
struct ReadProfile {
  std::string name;
  Profile profile;
  double block_s = 0;  // the length of the blocks of time (Row::block) in seconds; 0: rows are not kept apart by time
  std::optional<Profile> before = {};  // of a comparison, folded lines with two counts; `profile` has the second ones
};
// Calls `note` if the file is a comparison, of which the first counts are left out.
void note_comparison(const ReadProfile& file, const std::function<void(const std::string&)>& note);
// Reads a file. `note` is called if lines were left out because they do not belong to the format.
[[nodiscard]] ReadProfile read_named(const std::string& path, const ReadRequest& request,
                                     const std::function<void(const std::string&)>& note);
// Reads what tells_times() with its rows kept apart by blocks of a second, or longer ones of a long recording; of a
// store, by ticks.
[[nodiscard]] ReadProfile read_in_blocks(const std::string& path, const ReadRequest& request,
                                         const std::function<void(const std::string&)>& note);
// Folded lines do not say what they count, so they take the unit of the other file. Samples of a known rate become
// nanoseconds if the other file is in nanoseconds. If the units still differ, throws an Error that names both files;
// `what` is the action that is not possible then ("added up").
void agree_on_unit(ReadProfile& a, ReadProfile& b, const std::string& what);
// What --focus, --hide, --collapse and --merge-processes change of a profile.
struct ReadEdits {
  FrameEdits frames;
  bool merge_processes = false;

  // Returns the share that is in focus, "30.0%", and calls `note` with a line about it; "" without a focus. `name` is
  // the name of the file or files.
  std::string apply(Profile& profile, const std::string& name,
                    const std::function<void(const std::string&)>& note) const;
};
// Throws a usage Error.
[[nodiscard]] ReadEdits edits_of(const ParsedOptions& parsed);
// Adds up the profiles of several files; their order does not matter. `paths` has at least one path; "-" is stdin.
// Samples of different weights (taken at different rates) are added up as the nanoseconds that they stand for. Throws
// an Error that names the files if values cannot be added up, or if weights differ and one is unknown. `note` is called
// with a line for each assumption.
[[nodiscard]] Profile sum_of_files(const std::vector<std::string>& paths, const ReadRequest& request,
                                   const std::function<void(const std::string&)>& note);

}  // namespace profile
