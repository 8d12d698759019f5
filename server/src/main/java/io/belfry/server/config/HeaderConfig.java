package io.belfry.server.config;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.PublishRequest;
import io.belfry.settings.InvalidSetting;

/**
 * Limits of the headers of a message. Immutable.
 *
 * @param count maximum number of headers; 0 allows none
 * @param bytes maximum bytes of names and values, with {@link MessageHeaders#PAIR_BYTES} more for each header
 */
public record HeaderConfig(int count, int bytes) {
    /** The limits of a server without settings. */
    public static final HeaderConfig DEFAULT = new HeaderConfig(MessageHeaders.COUNT_MAX, 4 << 10);

    public HeaderConfig {
        InvalidSetting.unlessWithin(0, MessageHeaders.COUNT_MAX, "Limit.Headers", count);
        InvalidSetting.unlessWithin(0, MessageHeaders.BYTES_MAX, "Limit.HeaderBytes", bytes);
    }

    /** Returns whether the valid headers of a publish are within the limits. */
    public boolean admit(PublishRequest request) {
        return request.headersLength() - MessageHeaders.LENGTH_BYTES <= bytes
                && MessageHeaders.count(request.buffer(), request.headersOffset(), request.headersLength()) <= count;
    }

    /** Returns the sentence for a publish that is over the limits. */
    public String rule() {
        return "headers exceed Limit.Headers, " + count + ", or Limit.HeaderBytes, " + bytes;
    }
}
