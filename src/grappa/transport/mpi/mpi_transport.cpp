#include "grappa/transport/mpi/mpi_transport.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

Endpoint& MpiTransport::endpoint(int index) {
  if (index != 0) throw UsageError(fmt::format("transport: no endpoint {}, only 0", index));
  return endpoint_;
}

}  // namespace grappa::internal
