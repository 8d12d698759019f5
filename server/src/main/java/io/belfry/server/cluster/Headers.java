package io.belfry.server.cluster;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** The headers of a record, which carry what is neither subject nor data. Pure functions. */
final class Headers {
    private static final String MESSAGE_ID = "id";
    private static final String RETAIN = "retain";

    /** Marks a message that a node published to a subject of the server; other programs must not. */
    private static final String SERVER = "server";

    private static final byte[] NO_VALUE = {};

    /** The maximum length that clients may send. */
    private static final int MESSAGE_ID_MAX = 255;

    /** The keeper of a message that is not retained, or was published by another program. */
    static final long NOBODY = 0;

    private Headers() {}

    /** Returns the random number that identifies a node while it runs. */
    static long newNode() {
        return new SecureRandom().nextLong() | 1;
    }

    /** Returns the headers; {@code keeper} is the node that stores the retained message, or nobody. */
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

    /** Adds the mark of a message to a subject of the server. */
    static List<Header> ofServer(List<Header> others) {
        List<Header> headers = new ArrayList<>(others);
        headers.add(new RecordHeader(SERVER, NO_VALUE));
        return headers;
    }

    /** Returns whether the record was published by a node to a subject of the server. */
    static boolean isOfServer(org.apache.kafka.common.header.Headers headers) {
        return headers.lastHeader(SERVER) != null;
    }

    /** Returns the message id, or null if there is none or no client of ours could have sent it. */
    static byte @Nullable [] messageId(org.apache.kafka.common.header.Headers headers) {
        byte[] value = value(headers, MESSAGE_ID);
        return value == null || value.length == 0 || value.length > MESSAGE_ID_MAX ? null : value;
    }

    /** Returns whether the record is its subject's retained message, or clears it by having no data. */
    static boolean retain(org.apache.kafka.common.header.Headers headers) {
        return headers.lastHeader(RETAIN) != null;
    }

    /** Returns the node that stores the retained message permanently. */
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
