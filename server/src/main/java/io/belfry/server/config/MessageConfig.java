package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/** Bounds of messages and how they are put into buffers and writes. Immutable. */
public record MessageConfig(
        int maxMessageSize,
        int sendBufferInitial,
        int receiveBufferInitial,
        int maxBatchingBytes,
        long maxBatchingMillis,
        boolean tightlyCoupled,
        boolean compression) {
    /** Far below 2 GB, so that no sum of a message and its frame can overflow an int. */
    static final int MAX_MESSAGE_SIZE = 256 << 20;

    /** The largest initial buffer and the largest batch of one session. */
    static final int MAX_BUFFER = 16 << 20;

    /** Longer than this is no batching but a delay. */
    static final long MAX_BATCHING_MILLIS = 10_000;

    public MessageConfig {
        InvalidSetting.unlessWithin(1, MAX_MESSAGE_SIZE, "MaxMessageSize", maxMessageSize);
        InvalidSetting.unlessWithin(64, MAX_BUFFER, "BufferLimit.Send", sendBufferInitial);
        InvalidSetting.unlessWithin(64, MAX_BUFFER, "BufferLimit.Receive", receiveBufferInitial);
        InvalidSetting.unlessWithin(0, MAX_BUFFER, "MaxBatchingSpace", maxBatchingBytes);
        InvalidSetting.unlessWithin(0, MAX_BATCHING_MILLIS, "MaxBatchingTime", maxBatchingMillis);
    }
}
