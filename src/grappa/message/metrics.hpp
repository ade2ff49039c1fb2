#pragma once

// What the message layer counts.

#include "grappa/base/metrics.hpp"

namespace grappa {

inline const Counter kMessagesRun{"message.messages", "messages run"};
inline const Counter kBatchesRun{"message.batches", "batches run"};
inline const Counter kChunksSent{"message.chunks", "chunks handed to another core of the locale"};
inline const Counter kChunkBytes{"message.chunk_bytes", "bytes in those chunks"};
inline const Counter kBytesSent{"message.bytes", "bytes of messages handed over to other cores"};
inline const Counter kPacketsSent{"message.packets", "packets sent to other locales"};
inline const Histogram kPacketBytes{"message.packet_bytes", "bytes in a packet"};
inline const Counter kMessagesForwarded{"message.forwarded",
                                        "messages sent on to another locale of their route"};
inline const Counter kSectionsForwarded{"message.forwarded_chunks",
                                        "whole chunks sent on to another locale of their route"};
inline const Counter kScattersDelayed{"message.forwarding_waits",
                                      "chunks that waited because the next hop was out of credit"};
inline const Counter kFlushFull{"message.flush_full", "chunks sent because they were full"};
inline const Counter kFlushAge{"message.flush_age", "chunks sent because their messages were old"};
inline const Counter kFlushIdle{"message.flush_idle",
                                "chunks sent because the core had nothing else to do"};
inline const Counter kFlushAsked{"message.flush_asked",
                                 "chunks sent because somebody waits for them"};
inline const Counter kFlushHungry{"message.flush_hungry",
                                  "chunks sent because the receiver had nothing to do"};
inline const Counter kSendWaits{"message.send_waits", "times a task waited for credit"};
inline const Counter kOverflowChunks{"message.overflow",
                                     "chunks that handlers took beyond their credit"};

}  // namespace grappa
