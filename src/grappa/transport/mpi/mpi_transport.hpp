#pragma once

// The transport of an MPI job: one locale in this process, the others in other processes.
//
//   MpiTransport transport(mpi, MpiEndpoint::kSentByCaller);     // collective
//   Endpoint& mine = transport.endpoint(0);                      // of locale mine.locale()
//   …
//   transport.drain();                                           // collective, at the end
//
// Thread safety: as Transport says. Errors: as Transport says; errors of MPI end the job.

#include <cstddef>

#include "grappa/transport/mpi/mpi_endpoint.hpp"

namespace grappa::internal {

class MpiTransport final : public Transport {
 public:
  MpiTransport(MpiLibrary& mpi, MpiEndpoint::Sending sending,
               std::size_t packet_bytes = kDefaultPacketBytes)
      : endpoint_(mpi, sending, packet_bytes) {}

  int locale_count() const override { return endpoint_.locale_count(); }
  int endpoint_count() const override { return 1; }
  Endpoint& endpoint(int index) override;
  std::uint64_t in_flight() const override { return endpoint_.in_flight(); }
  std::uint64_t earliest_arrival() const override { return endpoint_.next_event_ns(); }

  /// See MpiEndpoint::drain.
  void drain() override { endpoint_.drain(); }

 private:
  MpiEndpoint endpoint_;
};

}  // namespace grappa::internal
