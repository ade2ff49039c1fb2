#pragma once

// What the message layer counts.

#include "grappa/base/metrics.hpp"

namespace grappa::internal {

inline const metrics::Counter kMessagesRun{"message.messages", "messages run"};
inline const metrics::Counter kBatchesRun{"message.batches", "batches run"};
inline const metrics::Counter kChunksSent{"message.chunks",
                                          "chunks handed to another core of the locale"};
inline const metrics::Counter kChunkBytes{"message.chunk_bytes", "bytes in those chunks"};
inline const metrics::Counter kBytesSent{"message.bytes",
                                         "bytes of messages handed over to other cores"};
inline const metrics::Counter kPacketsSent{"message.packets", "packets sent to other locales"};
inline const metrics::Histogram kPacketBytes{"message.packet_bytes", "bytes in a packet"};
inline const metrics::Counter kMessagesForwarded{
    "message.forwarded", "messages sent on to another locale of their route"};
inline const metrics::Counter kSectionsForwarded{
    "message.forwarded_chunks", "whole chunks sent on to another locale of their route"};
inline const metrics::Counter kScattersDelayed{
    "message.forwarding_waits", "chunks that waited because the next hop was out of credit"};
inline const metrics::Counter kFlushFull{"message.flush_full",
                                         "chunks sent because they were full"};
inline const metrics::Counter kFlushAge{"message.flush_age",
                                        "chunks sent because their messages were old"};
inline const metrics::Counter kFlushIdle{"message.flush_idle",
                                         "chunks sent because the core had nothing else to do"};
inline const metrics::Counter kFlushAsked{"message.flush_asked",
                                          "chunks sent because somebody waits for them"};
inline const metrics::Counter kFlushHungry{"message.flush_hungry",
                                           "chunks sent because the receiver had nothing to do"};
inline const metrics::Counter kSendWaits{"message.send_waits", "times a task waited for credit"};
inline const metrics::Counter kOverflowChunks{"message.overflow",
                                              "chunks that handlers took beyond their credit"};

}  // namespace grappa::internal
