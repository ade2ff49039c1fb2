#include "grappa/delegate/reply.hpp"

namespace grappa::internal {
namespace {

/// Followed by the type name and the text.
struct ErrorReplyMessage {
  ReplyBase* reply;
  std::int64_t count;
  std::uint32_t name_bytes;
  std::uint32_t text_bytes;
  void operator()(RunContext& context) {
    const char* text = reinterpret_cast<const char*>(this + 1);
    reply->error = new ErrorRecord{std::string(text, name_bytes),
                                   std::string(text + name_bytes, text_bytes), count};
    reply->finish(context.core);
  }
};

}  // namespace

void ReplyBase::throw_error() const {
  throw RemoteError(error->type_name, error->message, static_cast<std::uint64_t>(error->count - 1));
}

void ReplyBase::delete_error() noexcept { delete error; }

void send_error_reply(RunContext& context, int core, ReplyBase* reply) {
  const RemoteError error = to_remote_error(std::current_exception());
  const std::string text = error.type_name() + error.message();
  context.core.messages->send_with_tail(
      core,
      ErrorReplyMessage{reply, 1 + static_cast<std::int64_t>(error.others()),
                        static_cast<std::uint32_t>(error.type_name().size()),
                        static_cast<std::uint32_t>(error.message().size())},
      text.data(), text.size(), nullptr);
}

}  // namespace grappa::internal
