// What a form of the stream is: each sample as it came, instead of a report of them all. Like a format it knows no
// file, no kernel and not which source ran.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/profile.h"
#include "model/sample.h"
#include "output/output.h"

namespace profile {

class StreamOutput {
 public:
  virtual ~StreamOutput() = default;
  // What stands before the first sample.
  virtual void begin(std::string& /*out*/, const RunInfo&) {}
  // Appends one sample. `profile` holds its names and has been symbolised; of one profile, a stack's id always means
  // the same stack, so what was rendered of it can be kept until forget().
  virtual void append(std::string& out, const Profile& profile, const Sample& sample) = 0;
  // The samples to come are of another profile.
  virtual void forget() = 0;
};

struct StreamForm {
  std::string_view name;  // of --stream=NAME
  std::string_view summary;
  std::unique_ptr<StreamOutput> (*make)(const OutputOptions&);
};

// THE table, in the order of --help. The first row is the default.
[[nodiscard]] std::span<const StreamForm> stream_forms();
// By name; nullptr when there is none.
[[nodiscard]] const StreamForm* find_stream_form(std::string_view name);

}  // namespace profile
