package io.belfry.server.cluster;

import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** What a record carries beside subject and data. Pure. */
final class Headers {
    private static final String MESSAGE_ID = "id";

    /** As clients may give. */
    private static final int MESSAGE_ID_MAX = 255;

    private Headers() {}

    static List<Header> of(byte @Nullable [] messageId) {
        return messageId == null ? List.of() : List.of(new RecordHeader(MESSAGE_ID, messageId));
    }

    /** Null where there is none, or what no client of ours could have given. */
    static byte @Nullable [] messageId(org.apache.kafka.common.header.Headers headers) {
        Header header = headers.lastHeader(MESSAGE_ID);
        byte[] value = header == null ? null : header.value();
        return value == null || value.length == 0 || value.length > MESSAGE_ID_MAX ? null : value;
    }
}
