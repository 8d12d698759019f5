package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Compression settings of WebSocket messages. Immutable.
 *
 * @param bytesMin minimum size of a compressed payload; smaller payloads are sent uncompressed
 * @param inflateRatioMax maximum decompressed size of a client's message, as a multiple of its size; 0 means no limit
 * @param inflateRate maximum decompressed bytes per second and session; 0 means no limit
 */
public record CompressionConfig(boolean enabled, int bytesMin, int inflateRatioMax, long inflateRate) {
    public static final CompressionConfig OFF = new CompressionConfig(false, 256, 0, 8L << 20);

    /** Maximum compression ratio of deflate; a higher limit would have no effect. */
    static final int MAX_RATIO = 1032;

    public CompressionConfig {
        InvalidSetting.unlessWithin(1, MessageConfig.MAX_MESSAGE_SIZE, "Compression.MinBytes", bytesMin);
        InvalidSetting.unlessWithin(0, MAX_RATIO, "Limit.InflateRatio", inflateRatioMax);
        InvalidSetting.unless(inflateRate >= 0, "Limit.InflateRate", inflateRate, "must be 0 or more");
    }
}
