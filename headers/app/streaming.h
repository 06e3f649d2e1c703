// The stream: samples are handed over as the recorder reads them, named in small batches and written one by one, and
// what they share (names, rendered stacks) is kept up to a bound.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options.h"
#include "deliver/stream_writer.h"
#include "sampling/recorder.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

class Streaming {
 public:
  // Opens the output. Throws Error when it cannot. From now on the source's recorder hands its samples over here.
  Streaming(const Options& options, Source& source, ProcessTimeline& timeline, Symboliser& symboliser);

  void begin(const RunInfo& run);
  // Takes what the ring buffer holds, unless the reader is too slow for what was taken already, and writes what can be
  // written without waiting. False once nobody reads any more. Throws Error when it cannot be written.
  bool pump();
  // Readable when the reader has taken something, so that pump() can go on.
  [[nodiscard]] int poll_fd() const { return writer_.poll_fd(); }
  // The last samples, after the source was stopped. Waits a little for a slow reader; whatever could not be written is
  // in the account as lost. With `is_read` false nothing is written any more. Throws Error as pump() does.
  void finish(bool is_read);
  // Of all samples; complete once finish() was called, whether or not that threw.
  [[nodiscard]] const Account& account() const { return account_; }

 private:
  void name_batch(std::size_t first);
  void append_named();
  void fresh_profile();

  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::unique_ptr<StreamOutput> form_;
  StreamWriter writer_;
  RunInfo run_;
  std::unique_ptr<Profile> profile_;
  std::vector<Sample> batch_;  // read from the ring buffer
  std::size_t appended_ = 0;   // of them, handed to the writer
  Account account_;
};

}  // namespace profile
