// The sink of --stream: writes samples one by one, and never waits for a slow reader before the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/sink.h"
#include "files/stream_writer.h"
#include "output/stream.h"

namespace profile {

class StreamSink : public SampleSink {
 public:
  // `path`: "-" is stdout. `say` prints a line for the person.
  StreamSink(std::unique_ptr<StreamOutput> form, std::string path, std::function<void(const std::string&)> say)
      : say_(std::move(say)), form_(std::move(form)), path_(std::move(path)) {}

  // Opens the output.
  void prepare() override { writer_.emplace(path_); }
  void begin(const RunInfo& run) override;
  void watch(EventLoop& loop) override;
  void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) override;
  void end() override;
  [[nodiscard]] bool is_open() const override { return is_open_; }
  [[nodiscard]] std::size_t behind() const override { return waiting_; }
  [[nodiscard]] std::uint64_t lost() const override { return lost_; }
  [[nodiscard]] bool has_failed() const override { return has_failed_; }

 private:
  struct Batch {
    std::shared_ptr<const Profile> profile;
    std::vector<Sample> samples;
    std::size_t written = 0;
  };

  void attempt(const std::function<void()>& step);
  void write();
  void append();
  void flush();
  void write_rest();

  std::function<void(const std::string&)> say_;
  std::unique_ptr<StreamOutput> form_;
  std::string path_;
  std::optional<StreamWriter> writer_;       // set from prepare() on
  std::deque<Batch> batches_;                // the first is being written
  std::size_t waiting_ = 0;                  // samples in them
  std::shared_ptr<const Profile> texts_of_;  // the profile of the texts that the form keeps
  std::uint64_t lost_ = 0;
  bool is_open_ = true;
  bool has_failed_ = false;
};

}  // namespace profile
