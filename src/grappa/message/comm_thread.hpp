#pragma once

// A communication core: one processor of a locale that does nothing but move packets.
//
//   CommThread communication(locale, processor);   // -1: not bound to one
//   …                                              // cores send and run messages
//   communication.stop();
//
// It polls the endpoint and hands the sections of what arrives to their cores, or sends them on to
// the next locale of their route. The cores themselves then enter the transport only to put a
// finished packet on its list. It is worth a processor where the network costs processor time (MPI
// over TCP) and there are processors to spare.
//
// Source: the global memory manager thread of `hotpar11` 3.1.
//
// Made when the locale's cores have their aggregators, destroyed before them. Thread safety: one
// for each locale.

#include <atomic>
#include <cstdint>
#include <thread>

#include "grappa/base/metrics.hpp"
#include "grappa/message/route.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/parker.hpp"

namespace grappa::internal {

class CommThread {
 public:
  CommThread(Locale& locale, int processor);
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  /// Ends the thread. Those of all locales of a process end before the first of them is destroyed:
  /// they forward, and thereby wake, one another.
  void stop();

 private:
  void loop();
  bool take_packets();
  void pause();

  Locale& locale_;
  const Route route_;
  const int processor_;
  MetricsBlock& metrics_;
  Parker parker_;
  std::uint64_t idle_since_ = 0;
  std::uint64_t sleep_ns_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace grappa::internal
