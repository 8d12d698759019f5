package io.belfry.server.cluster;

import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** What a record carries beside subject and data. Pure. */
final class Headers {
    private static final String MESSAGE_ID = "id";

    private Headers() {}

    static List<Header> of(byte @Nullable [] messageId) {
        return messageId == null ? List.of() : List.of(new RecordHeader(MESSAGE_ID, messageId));
    }

    static byte @Nullable [] messageId(org.apache.kafka.common.header.Headers headers) {
        Header header = headers.lastHeader(MESSAGE_ID);
        return header == null || header.value() == null || header.value().length == 0 ? null : header.value();
    }
}
