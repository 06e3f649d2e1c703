// Each sample as `perf script` prints it, with its own time: the stream's form of it in a file. Each event has a form,
// because its name and unit are the form's.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "output/stream.h"
#include "output/timed.h"

namespace profile {
namespace {

class TimedPerfScript final : public TimedOutput {
 public:
  void begin(std::ostream& out, const TimedRun& run) override {
    for (const RunInfo& event : run.events) {
      forms_.push_back(find_stream_form("perf-script")->make({}));
      forms_.back()->begin(text_, event);
    }
    pass_on(out);
  }
  void append(std::ostream& out, const Profile& profile, const Sample& sample) override {
    forms_[sample.event]->append(text_, profile, sample);
    pass_on(out);
  }
  void forget() override {
    for (const auto& form : forms_) form->forget();
  }
  void end(std::ostream& /*out*/, std::uint64_t /*ended_ns*/) override {}

 private:
  void pass_on(std::ostream& out) {
    out << text_;
    text_.clear();
  }

  std::vector<std::unique_ptr<StreamOutput>> forms_;
  std::string text_;
};

}  // namespace

std::unique_ptr<TimedOutput> make_timed_perf_script(const OutputOptions& /*options*/) {
  return std::make_unique<TimedPerfScript>();
}

}  // namespace profile
