package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/** Bounds of messages and how they are put into buffers and writes. Immutable. */
public record MessageConfig(
        int maxMessageSize,
        int sendBufferInitial,
        int receiveBufferInitial,
        int unsentBytesMax,
        int maxBatchingBytes,
        long maxBatchingMillis,
        boolean tightlyCoupled,
        CompressionConfig compression) {
    /** Far below 2 GB, so that no sum of a message and its frame can overflow an int. */
    static final int MAX_MESSAGE_SIZE = 256 << 20;

    /** The largest initial buffer and the largest batch of one session. */
    static final int MAX_BUFFER = 16 << 20;

    /** What a session's messages may take while they wait, where only the time is set. */
    static final int DEFAULT_BATCH = 64 << 10;

    /** Longer than this is no batching but a delay. */
    static final long MAX_BATCHING_MILLIS = 10_000;

    public MessageConfig {
        InvalidSetting.unlessWithin(1, MAX_MESSAGE_SIZE, "MaxMessageSize", maxMessageSize);
        InvalidSetting.unlessWithin(64, MAX_BUFFER, "BufferLimit.Send", sendBufferInitial);
        InvalidSetting.unlessWithin(64, MAX_BUFFER, "BufferLimit.Receive", receiveBufferInitial);
        InvalidSetting.unlessWithin(0, MAX_BUFFER, "BufferLimit.Unsent", unsentBytesMax);
        InvalidSetting.unlessWithin(0, MAX_BUFFER, "MaxBatchingSpace", maxBatchingBytes);
        InvalidSetting.unlessWithin(0, MAX_BATCHING_MILLIS, "MaxBatchingTime", maxBatchingMillis);
        InvalidSetting.unless(
                maxBatchingBytes == 0 || maxBatchingMillis > 0,
                "MaxBatchingSpace",
                maxBatchingBytes,
                "has no effect while MaxBatchingTime is 0; set that too or remove this line");
    }

    /** How many bytes of a session wait for nothing more. */
    public int batchBytes() {
        return maxBatchingBytes == 0 ? DEFAULT_BATCH : maxBatchingBytes;
    }
}
