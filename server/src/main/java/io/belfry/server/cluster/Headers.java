package io.belfry.server.cluster;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** What a record carries beside subject and data. Pure. */
final class Headers {
    private static final String MESSAGE_ID = "id";
    private static final String RETAIN = "retain";

    /** As clients may give. */
    private static final int MESSAGE_ID_MAX = 255;

    /** The keeper of what is not to be retained, or was published to be by another program. */
    static final long NOBODY = 0;

    private Headers() {}

    /** What a node is known by while it runs. */
    static long newNode() {
        return new SecureRandom().nextLong() | 1;
    }

    /** {@code keeper} is the node that has it retained, or nobody. */
    static List<Header> of(byte @Nullable [] messageId, long keeper) {
        if (messageId == null && keeper == NOBODY) {
            return List.of();
        }
        List<Header> headers = new ArrayList<>(2);
        if (messageId != null) {
            headers.add(new RecordHeader(MESSAGE_ID, messageId));
        }
        if (keeper != NOBODY) {
            byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(keeper).array();
            headers.add(new RecordHeader(RETAIN, value));
        }
        return headers;
    }

    /** Null where there is none, or what no client of ours could have given. */
    static byte @Nullable [] messageId(org.apache.kafka.common.header.Headers headers) {
        byte[] value = value(headers, MESSAGE_ID);
        return value == null || value.length == 0 || value.length > MESSAGE_ID_MAX ? null : value;
    }

    /** Whether the record is its subject's retained message, or without data clears it. */
    static boolean retain(org.apache.kafka.common.header.Headers headers) {
        return headers.lastHeader(RETAIN) != null;
    }

    /** The node that sees to it that the message stays retained. */
    static long keeper(org.apache.kafka.common.header.Headers headers) {
        byte[] value = value(headers, RETAIN);
        return value == null || value.length != Long.BYTES
                ? NOBODY
                : ByteBuffer.wrap(value).getLong();
    }

    private static byte @Nullable [] value(org.apache.kafka.common.header.Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value();
    }
}
