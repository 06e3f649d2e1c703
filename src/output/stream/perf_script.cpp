// Each sample as an event of `perf script`, with its own time and thread.
#include "output/perf_script.h"

#include "output/stream.h"

namespace profile {
namespace {

class Stream final : public StreamOutput {
 public:
  void begin(std::string& out, const RunInfo& run) override { script_.begin(out, run); }
  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    script_.append(out, profile,
                   {.row = &sample.row,
                    .tid = sample.row.tid,
                    .cpu = sample.cpu,
                    .time_ns = sample.unix_ns,
                    .period = sample.row.value});
  }
  void forget() override { script_.forget(); }

 private:
  PerfScript script_;
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_perf_script(const OutputOptions& /*options*/) {
  return std::make_unique<Stream>();
}

}  // namespace profile
