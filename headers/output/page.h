// The page that shows flame graphs in a browser, as one text with its style and script, so the browser fetches nothing.
// The same page shows a file from disk and the live view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/profile.h"
#include "output/frame_report.h"
#include "output/json_writer.h"

namespace profile {

// `live`: the page may connect to the server that sent it. `file`: it may connect to nothing.
enum class PageUse : std::uint8_t { live, file };

// The "version" member of the data. The script of the page refuses data of another version.
inline constexpr int page_data_version = 1;

// The page before and after its data. The caller writes one JSON text without '<' between them
// (JsonWriter::Context::html). The page has a policy with the hashes of its style and its script, so the browser runs
// nothing else. If there are samples with their times, page_before_samples() and they follow the data.
[[nodiscard]] std::string_view page_before_data(PageUse use = PageUse::live);
[[nodiscard]] std::string_view page_before_samples();
[[nodiscard]] std::string_view page_after_data();
// The policy of a `live` page for the HTTP header Content-Security-Policy. Only the header can forbid that another page
// shows this one in a frame.
[[nodiscard]] std::string page_policy();

// Each writes a member into the JSON object that is open: what the page says about the run of its graph.

// "run": {"title", "event", "unit", "counted", "tag", "command_line", "began_unix_ms", "duration_s"}, and
// "is_state" and "processes_by_name" if they are true
void write_page_run(JsonWriter& json, const Profile& profile);
// "account": {"taken", "recorded", "idle", "filtered", "lost"}, and "nothing": why_nothing(), if there is a reason
void write_page_account(JsonWriter& json, const RunInfo& run, const Account& account);
// "names": [line...]: the lines of FrameReport::lines()
void write_page_names(JsonWriter& json, const FrameReport& names);

}  // namespace profile
