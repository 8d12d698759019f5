package io.belfry.server.cluster;

import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.Utf8;
import io.belfry.server.config.HeaderConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Translates the headers of messages to headers of Kafka's records, and back. A header of a message has the same name in
 * Kafka, but for the names that nodes use themselves ({@link Headers}, {@link RetainedRecords}): these get a tilde before
 * them. Other programs may write any headers, so those that no client could have published are omitted and counted.
 * Owner: the lane's loop.
 */
final class HeaderMapping {
    private static final Set<String> OWN = Set.of("id", "retain", "server", "at");
    /** Headers of the server that count only in a topic to which no other programs write. */
    private static final Set<String> OF_NODES = Set.of(MessageHeaders.PUBLISHER, MessageHeaders.ORIGIN);

    private static final String ESCAPE = "~";
    private static final int OF_SERVER_BYTES_MAX = 512;

    /** Maximum number of headers of a record that are read, because other programs may write thousands. */
    private static final int READ_MAX = 64;

    private final HeaderConfig limits;
    private final int maxMessageSize;
    private final LoopCounters counters;
    private final ByteBuf block = Unpooled.buffer(0);

    HeaderMapping(HeaderConfig limits, int maxMessageSize, LoopCounters counters) {
        this.limits = limits;
        this.maxMessageSize = maxMessageSize;
        this.counters = counters;
    }

    /** Passes the headers of a message to {@code to}, as headers of a record. */
    static void write(ByteBuf headers, int offset, int length, Consumer<Header> to) {
        MessageHeaders.read(headers, offset, length, (from, nameAt, nameLength, valueAt, valueLength) -> {
            String name = from.toString(nameAt, nameLength, StandardCharsets.UTF_8);
            byte[] value = ByteBufUtil.getBytes(from, valueAt, valueLength);
            to.accept(new RecordHeader(isOwn(name) ? ESCAPE + name : name, value));
        });
    }

    private static boolean isOwn(String name) {
        int start = 0;
        while (name.startsWith(ESCAPE, start)) {
            start++;
        }
        return OWN.contains(name.substring(start));
    }

    /**
     * Writes the headers of the record's message to {@link #block}; returns the length of the block, 0 if there are none. Of several
     * headers of one name the last one counts, as Kafka's own clients read them.
     *
     * @param ofNodes whether only nodes write to the topic, so that the name and the origin of a publisher can be trusted
     */
    int read(org.apache.kafka.common.header.Headers headers, int dataLength, boolean ofNodes) {
        Header[] all = headers.toArray();
        block.clear();
        if (all.length == 0) {
            return 0;
        }
        Map<String, byte[]> kept = LinkedHashMap.newLinkedHashMap(Math.min(all.length, MessageHeaders.COUNT_MAX));
        int end = Math.min(all.length, READ_MAX);
        int omitted = all.length - end;
        int bytesMax = Math.min(limits.bytes(), maxMessageSize - dataLength - MessageHeaders.LENGTH_BYTES);
        int bytes = 0;
        for (int i = 0; i < end; i++) {
            String name = nameOf(all[i]);
            if (name == null) {
                continue;
            }
            byte[] value = all[i].value();
            byte[] before = kept.get(name);
            int growth = size(name, value) - (before == null ? 0 : size(name, before));
            if (value != null && isOfServer(name, value, ofNodes)) {
                kept.put(name, value);
                continue;
            }
            boolean fits = bytes + growth <= bytesMax && (before != null || publishers(kept) < limits.count());
            if (value != null && fits && MessageHeaders.isPair(bytesOf(name), value)) {
                kept.put(name, value);
                bytes += growth;
            } else {
                omitted++;
            }
        }
        counters.add(Counter.CLUSTER_HEADERS_OMITTED, omitted);
        return kept.isEmpty() ? 0 : fill(kept);
    }

    /** Returns whether the record stands for the removal of its subject's earlier messages. */
    static boolean isRemoval(org.apache.kafka.common.header.Headers headers) {
        return headers.lastHeader(HistoryRemoval.HEADER) != null;
    }

    /** Writes the headers of a removal to {@link #block}; returns the length of the block. */
    int readRemoval() {
        block.clear();
        HistoryRemoval.writeHeaders(block);
        return block.writerIndex();
    }

    /** Returns the name of the message's header, or null if the header is one of a node. */
    private static @Nullable String nameOf(Header header) {
        String name = header.key();
        if (OWN.contains(name)) {
            return null;
        }
        return name.startsWith(ESCAPE) && isOwn(name) ? name.substring(ESCAPE.length()) : name;
    }

    /** Returns whether the header is one that a node sets; these count against no limit. */
    private static boolean isOfServer(String name, byte[] value, boolean ofNodes) {
        return value.length <= OF_SERVER_BYTES_MAX
                && (name.equals(MessageHeaders.TTL) || (ofNodes && OF_NODES.contains(name)))
                && Utf8.valid(Unpooled.wrappedBuffer(value), 0, value.length);
    }

    /** Returns the number of headers that the publisher set. */
    private static int publishers(Map<String, byte[]> kept) {
        int count = kept.size() - (kept.containsKey(MessageHeaders.TTL) ? 1 : 0);
        for (String name : OF_NODES) {
            count -= kept.containsKey(name) ? 1 : 0;
        }
        return count;
    }

    private static int size(String name, byte @Nullable [] value) {
        return MessageHeaders.PAIR_BYTES + ByteBufUtil.utf8Bytes(name) + (value == null ? 0 : value.length);
    }

    private static byte[] bytesOf(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private int fill(Map<String, byte[]> headers) {
        int start = MessageHeaders.begin(block);
        // The time to live is always the first header.
        byte @Nullable [] ttl = headers.remove(MessageHeaders.TTL);
        if (ttl != null) {
            MessageHeaders.pair(block, bytesOf(MessageHeaders.TTL), ttl);
        }
        headers.forEach((name, value) -> MessageHeaders.pair(block, bytesOf(name), value));
        MessageHeaders.end(block, start);
        return block.writerIndex();
    }

    /** Returns the block that {@link #read} wrote last. */
    ByteBuf block() {
        return block;
    }
}
