// The one table of stream formats. --stream, --help and the "unknown form" error read it.
#include "output/stream.h"

#include <algorithm>
#include <iterator>

namespace profile {

// Each function is in the file of its name in stream/. A stream format is only that file and its row in the table.
std::unique_ptr<StreamOutput> make_stream_table(const OutputOptions& options);
std::unique_ptr<StreamOutput> make_stream_stacks(const OutputOptions& options);
std::unique_ptr<StreamOutput> make_stream_folded(const OutputOptions& options);
std::unique_ptr<StreamOutput> make_stream_json(const OutputOptions& options);
std::unique_ptr<StreamOutput> make_stream_perf_script(const OutputOptions& options);

namespace {

constexpr StreamForm forms[] = {
    {"table", "one line a sample: time, thread, process, CPU and the sizes of its stacks", make_stream_table},
    {"stacks", "both stacks of each sample, a line a frame, with addresses", make_stream_stacks},
    {"folded", "one line a sample: time, thread, ids, CPU and the stack, root first", make_stream_folded},
    {"json", "one JSON object a line, with everything known of the sample", make_stream_json},
    {"perf-script", "what `perf script` prints: an event a sample with its stack, for many tools",
     make_stream_perf_script},
};

}  // namespace

std::span<const StreamForm> stream_forms() { return forms; }

const StreamForm* find_stream_form(std::string_view name) {
  const StreamForm* const found = std::ranges::find(forms, name, &StreamForm::name);
  return found == std::end(forms) ? nullptr : found;
}

}  // namespace profile
