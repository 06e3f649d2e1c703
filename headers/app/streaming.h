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
  // Opens the output. Throws Error when it cannot. From now on the source's recorder hands its samples over here. `say`
  // prints a line for the person.
  Streaming(const Options& options, Source& source, ProcessTimeline& timeline, Symboliser& symboliser,
            std::function<void(const std::string&)> say);

  void begin(const RunInfo& run);
  // Takes what the ring buffer holds, unless the reader is too slow for what was taken already, and writes what can be
  // written without waiting.
  void pump();
  // Whether the reader is so slow that samples wait in the ring buffer.
  [[nodiscard]] bool is_behind() const { return writer_.is_behind(); }
  // Readable when the reader has taken something, so that pump() can go on.
  [[nodiscard]] int poll_fd() const { return writer_.poll_fd(); }
  // The last samples, after the source was stopped. Waits a little for a slow reader.
  void finish();
  // Of all samples, once finish() was called; those that could not be written are lost.
  [[nodiscard]] const Account& account() const { return account_; }
  // Whether nobody reads any more, or it could not be written.
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void attempt(const std::function<void()>& step);
  void flush();
  void name_batch(std::size_t first);
  void append_named();
  void append_rest();
  void lose(std::uint64_t records);
  void fresh_profile();

  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<StreamOutput> form_;
  StreamWriter writer_;
  RunInfo run_;
  std::unique_ptr<Profile> profile_;
  std::vector<Sample> batch_;  // read from the ring buffer
  std::size_t appended_ = 0;   // of them, handed to the writer
  Account account_;
  bool is_over_ = false;
  bool has_failed_ = false;
};

}  // namespace profile
