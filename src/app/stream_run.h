// The stream: samples are handed over as the recorder reads them, named in small batches and written one by one, and
// what they share (names, rendered stacks) is kept up to a bound.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/sample_consumer.h"
#include "files/stream_writer.h"

namespace profile {

class StreamRun : public SampleConsumer {
 public:
  // Opens the output. Throws Error when it cannot. From now on the source's recorder hands its samples over here. `say`
  // prints a line for the person.
  StreamRun(const Options& options, RunInfo run, Source& source, ProcessTimeline& timeline, Symboliser& symboliser,
            std::function<void(const std::string&)> say);

  void watch(EventLoop& loop) override;
  void begin(std::uint64_t began_ns) override;
  void relieve() override;
  bool name_expired() override;
  // Waits a little for a slow reader.
  void finish(std::uint64_t ended_ns) override;
  [[nodiscard]] bool is_wanted() const override { return !is_over_; }
  [[nodiscard]] bool has_failed() const override { return has_failed_; }

 private:
  // Takes what the ring buffer holds, unless the reader is too slow for what was taken already, and writes what can be
  // written without waiting.
  void pump();
  void attempt(const std::function<void()>& step);
  void flush();
  void name_batch(std::size_t first);
  void append_named();
  void append_rest();
  void lose(std::uint64_t records);
  void fresh_profile();
  void count(StackId stack, StackId Row::*part, std::uint64_t samples);
  void report_counted();

  std::function<void(const std::string&)> say_;
  std::unique_ptr<StreamOutput> form_;
  StreamWriter writer_;
  std::vector<Sample> batch_;  // read from the ring buffer
  std::size_t appended_ = 0;   // of them, handed to the writer
  // One row for each stack, with the number of written samples that have it. So each frame is looked at once.
  std::vector<Row> counted_;
  bool is_over_ = false;  // nobody reads any more, or it could not be written
  bool has_failed_ = false;
};

}  // namespace profile
