package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/** Limits of messages, buffers and batches. Immutable. */
public record MessageConfig(
        int maxMessageSize,
        int sendBufferInitial,
        int receiveBufferInitial,
        int unsentBytesMax,
        int maxBatchingBytes,
        long maxBatchingMillis,
        boolean tightlyCoupled,
        CompressionConfig compression,
        DeltaConfig deltas,
        HeaderConfig headers) {
    /** Maximum message size; far below 2 GB, so that the size of a message and its frame cannot overflow an int. */
    static final int MAX_MESSAGE_SIZE = 256 << 20;

    /** Maximum size of an initial buffer, and of a session's batch. */
    static final int MAX_BUFFER = 16 << 20;

    /** Default size of a session's batch if only the batching time is set. */
    static final int DEFAULT_BATCH = 64 << 10;

    /** Maximum batching time; a longer one would only delay messages. */
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
                "has no effect while MaxBatchingTime is 0; set MaxBatchingTime or remove this line");
    }

    /** Returns the number of bytes at which a session's batch is sent at once. */
    public int batchBytes() {
        return maxBatchingBytes == 0 ? DEFAULT_BATCH : maxBatchingBytes;
    }
}
