// The interface of a stream format: it writes each sample when it comes, not a report of all samples. It knows no file,
// no kernel and no event source.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/profile.h"
#include "model/sample.h"
#include "output/output.h"
#include "output/shown_frame.h"

namespace profile {

class StreamOutput {
 public:
  virtual ~StreamOutput() = default;
  // Writes what comes before the first sample.
  virtual void begin(std::string& /*out*/, const RunInfo&) {}
  // Appends one sample. `profile` holds its names and is symbolised. Within one profile an id of a stack always means
  // the same stack, so rendered texts can be kept until forget().
  virtual void append(std::string& out, const Profile& profile, const Sample& sample) = 0;
  // The next samples belong to another profile, so all kept texts are invalid.
  void forget() {
    texts_.forget();
    stacks_.forget();
  }

 protected:
  KeptTexts texts_;  // of names and tags, by StringId
  KeptTexts stacks_;
};

struct StreamForm {
  std::string_view name;  // of --stream=NAME
  std::string_view summary;
  std::unique_ptr<StreamOutput> (*make)(const OutputOptions&);
};

// The one table of stream formats, in the order of --help. The first row is the default.
[[nodiscard]] std::span<const StreamForm> stream_forms();
// Returns nullptr when no format has this name.
[[nodiscard]] const StreamForm* find_stream_form(std::string_view name);

}  // namespace profile
