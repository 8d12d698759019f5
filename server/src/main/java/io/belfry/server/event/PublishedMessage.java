package io.belfry.server.event;

import java.util.Collections;
import java.util.Map;

/**
 * A message as subscribers receive it. Nobody changes its bytes.
 *
 * @param epoch epoch of its position
 * @param seq seq of its position
 * @param headers its headers, those of the server included
 * @param retained whether it is the retained message of its subject
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record PublishedMessage(long epoch, long seq, byte[] data, Map<String, String> headers, boolean retained) {
    /** Estimated bytes of a header's objects beside its text. */
    private static final int HEADER_BYTES = 100;

    public PublishedMessage {
        headers = Collections.unmodifiableMap(headers);
    }

    /** Returns the estimated memory. */
    int bytes() {
        int bytes = data.length;
        for (Map.Entry<String, String> each : headers.entrySet()) {
            bytes += HEADER_BYTES + each.getKey().length() + each.getValue().length();
        }
        return bytes;
    }
}
