#pragma once

// Messages between locale 0 and the last one by MPI alone. Both are called by the main task, and
// throw Error when something did not arrive as it was sent.

#include <cstdint>

namespace grappa::bench {

/// MPI_Send and MPI_Recv there and back: seconds of `rounds` of them.
double mpi_round_trips(std::int64_t bytes, std::int64_t rounds);

/// A stream of messages, some MPI_Isend and MPI_Irecv at a time, with an answer at the end.
double mpi_stream(std::int64_t bytes, std::int64_t count);

}  // namespace grappa::bench
