package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Whether and how WebSocket messages are compressed. Immutable.
 *
 * @param bytesMin smaller payloads are sent as they are
 * @param inflateRatioMax how many times its size a compressed message from a client may become
 */
public record CompressionConfig(boolean enabled, int bytesMin, int inflateRatioMax) {
    public static final CompressionConfig OFF = new CompressionConfig(false, 256, 100);

    /** Deflate cannot do more than 1032: a higher bound is none. */
    static final int MAX_RATIO = 1032;

    public CompressionConfig {
        InvalidSetting.unlessWithin(1, MessageConfig.MAX_MESSAGE_SIZE, "Compression.MinBytes", bytesMin);
        InvalidSetting.unlessWithin(1, MAX_RATIO, "Limit.InflateRatio", inflateRatioMax);
    }
}
