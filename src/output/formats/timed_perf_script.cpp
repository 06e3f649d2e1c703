// Each sample as `perf script` prints it, with its own time: the stream's form of it in a file.
#include <ostream>
#include <string>

#include "output/stream.h"
#include "output/timed.h"

namespace profile {
namespace {

class TimedPerfScript final : public TimedOutput {
 public:
  void begin(std::ostream& out, const TimedRun& run) override {
    form_->begin(text_, run.run);
    pass_on(out);
  }
  void append(std::ostream& out, const Profile& profile, const Sample& sample) override {
    form_->append(text_, profile, sample);
    pass_on(out);
  }
  void forget() override { form_->forget(); }
  void end(std::ostream& /*out*/, std::uint64_t /*ended_ns*/) override {}

 private:
  void pass_on(std::ostream& out) {
    out << text_;
    text_.clear();
  }

  std::unique_ptr<StreamOutput> form_ = find_stream_form("perf-script")->make({});
  std::string text_;
};

}  // namespace

std::unique_ptr<TimedOutput> make_timed_perf_script(const OutputOptions& /*options*/) {
  return std::make_unique<TimedPerfScript>();
}

}  // namespace profile
