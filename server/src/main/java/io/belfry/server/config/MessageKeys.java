package io.belfry.server.config;

import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about messages; {@code ConfigKey} lists them. Immutable. */
final class MessageKeys {
    static final TopicKey MAX_MESSAGE_SIZE = new TopicKey(
            ConfigTopic.MESSAGES,
            "MaxMessageSize",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "64 KB",
            "Maximum size of a message's data, together with its headers; a larger publish is refused with"
                    + " `message-too-large`.");

    static final TopicKey BUFFER_LIMIT_SEND = new TopicKey(
            ConfigTopic.MESSAGES,
            "BufferLimit.Send",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "Initial size of a send buffer. It grows on demand; this is not a limit.");

    static final TopicKey BUFFER_LIMIT_RECEIVE = new TopicKey(
            ConfigTopic.MESSAGES,
            "BufferLimit.Receive",
            ValueType.size(SizeUnit.B, 64, MessageConfig.MAX_BUFFER),
            "8192",
            "Initial size of the buffer for a message or body that arrives in parts, or less if a smaller size"
                    + " is announced. It grows on demand; this is not a limit. A message that arrives whole needs no"
                    + " buffer.");

    static final TopicKey BUFFER_LIMIT_UNSENT = new TopicKey(
            ConfigTopic.MESSAGES,
            "BufferLimit.Unsent",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "128 KB",
            "Maximum number of bytes per connection that the kernel accepts beyond those already sent. A"
                    + " client with more bytes waiting is slow, and is served from the history. `0` leaves the limit to"
                    + " the system (`net.ipv4.tcp_notsent_lowat`), which accepts megabytes. Needs native sockets.");

    static final TopicKey MAX_BATCHING_SPACE = new TopicKey(
            ConfigTopic.MESSAGES,
            "MaxBatchingSpace",
            ValueType.size(SizeUnit.B, 0, MessageConfig.MAX_BUFFER),
            "0",
            "Number of bytes waiting for one session that end the wait of `MaxBatchingTime` early; 0 means 64"
                    + " KB. It is an error without `MaxBatchingTime`.");

    static final TopicKey MAX_BATCHING_TIME = new TopicKey(
            ConfigTopic.MESSAGES,
            "MaxBatchingTime",
            ValueType.time(TimeScale.MS, 0, MessageConfig.MAX_BATCHING_MILLIS),
            "0",
            "Time for which messages of one session are held back so that more of them go out in one write."
                    + " The first message after a pause of that length is sent at once. 0 sends messages at the end of"
                    + " the loop turn that produced them.");

    static final TopicKey PUB_SUB_TIGHTLY_COUPLED = new TopicKey(
            ConfigTopic.MESSAGES,
            "PubSubTightlyCoupled",
            ValueType.flag(),
            "false",
            "Whether to notify publishers that sent `watch` when a subject gains its first subscriber or loses"
                    + " its last one.");

    static final TopicKey COMPRESSION = new TopicKey(
            ConfigTopic.MESSAGES,
            "Compression",
            ValueType.flag(),
            "off",
            "Whether to use permessage-deflate with WebSocket clients that offer it. The server compresses"
                    + " each message once for all of them, and accepts compressed messages. It costs the event loops CPU.");

    static final TopicKey COMPRESSION_MIN_BYTES = new TopicKey(
            ConfigTopic.MESSAGES,
            "Compression.MinBytes",
            ValueType.size(SizeUnit.B, 1, MessageConfig.MAX_MESSAGE_SIZE),
            "256",
            "Minimum size of a payload that is compressed. Smaller payloads hardly shrink, and compressing one"
                    + " costs some microseconds.");

    static final TopicKey DELTA = new TopicKey(
            ConfigTopic.MESSAGES,
            "Delta",
            ValueType.flag(),
            "on",
            "Whether to send deltas to WebSocket clients that ask for them: the difference from the previous message of"
                    + " the subject, made once per event loop. It costs some microseconds per message of a subject with"
                    + " such a subscription.");

    static final TopicKey DELTA_MIN_BYTES = new TopicKey(
            ConfigTopic.MESSAGES,
            "Delta.MinBytes",
            ValueType.size(SizeUnit.B, 1, DeltaConfig.MAX_BYTES),
            "64",
            "Minimum size of data of which a delta is made. Smaller data is sent whole.");

    static final TopicKey DELTA_MAX_BYTES = new TopicKey(
            ConfigTopic.MESSAGES,
            "Delta.MaxBytes",
            ValueType.size(SizeUnit.B, 1, DeltaConfig.MAX_BYTES),
            "256 KB",
            "Maximum size of data of which a delta is made. Larger data is sent whole.");

    private MessageKeys() {}
}
