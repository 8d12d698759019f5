package io.belfry.server.transport;

import io.belfry.protocol.MessageHeaders;
import io.belfry.server.codec.HttpRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message that a request names with the parameter {@code header}, as {@code NAME=VALUE}. Immutable.
 *
 * @param block the block of {@link MessageHeaders}; empty without headers
 * @param problem the rule that the headers break, or null
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record HeaderParameters(byte[] block, @Nullable String problem) {
    private static final HeaderParameters NONE = new HeaderParameters(new byte[0], null);
    private static final String FORM = "the parameter header must be NAME=VALUE";

    static HeaderParameters of(HttpRequest request) {
        List<String> given = request.query().all("header");
        if (given.isEmpty()) {
            return NONE;
        }
        if (given.size() > MessageHeaders.COUNT_MAX) {
            return refused("a message may have at most " + MessageHeaders.COUNT_MAX + " headers");
        }
        ByteBuf out = Unpooled.buffer();
        int start = MessageHeaders.begin(out);
        for (String each : given) {
            int end = each.indexOf('=');
            byte[] name = bytes(each, 0, Math.max(0, end));
            if (end < 0 || name.length > MessageHeaders.NAME_MAX_BYTES) {
                return refused(end < 0 ? FORM : "a header's name exceeds " + MessageHeaders.NAME_MAX_BYTES + " bytes");
            }
            byte[] value = bytes(each, end + 1, each.length());
            if (out.writerIndex() + value.length > MessageHeaders.BYTES_MAX) {
                return refused("headers exceed " + MessageHeaders.BYTES_MAX + " bytes");
            }
            MessageHeaders.pair(out, name, value);
        }
        MessageHeaders.end(out, start);
        return new HeaderParameters(ByteBufUtil.getBytes(out), MessageHeaders.problem(out, 0, out.writerIndex()));
    }

    private static byte[] bytes(String text, int from, int to) {
        return text.substring(from, to).getBytes(StandardCharsets.UTF_8);
    }

    private static HeaderParameters refused(String problem) {
        return new HeaderParameters(new byte[0], problem);
    }
}
