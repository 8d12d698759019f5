package io.belfry.server.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * How many topics had a bridge's name before the one that has it now. {@code Kafka.RetainedTopic} remembers it, since
 * nothing else outlives a topic: the identity of the last and its number. Each node that starts comes to the same number.
 * Owner: the thread that starts the cluster.
 */
final class Incarnations {
    private static final String KEY = "bridge ";
    private final Map<String, RetainedRecords.At> known = new HashMap<>();

    static boolean isKey(byte[] key) {
        return new String(key, StandardCharsets.US_ASCII).startsWith(KEY);
    }

    /** A record of the topic says so; epoch is the identity, seq the number. */
    void onRecord(byte[] key, RetainedRecords.At at) {
        known.merge(
                new String(key, StandardCharsets.US_ASCII).substring(KEY.length()),
                at,
                (before, next) -> next.seq() >= before.seq() ? next : before);
    }

    int of(Bridge bridge) throws IOException {
        RetainedRecords.At last = known.get(bridge.topic());
        long number = last == null ? 0 : last.epoch() == bridge.identity() ? last.seq() : last.seq() + 1;
        if (number > Seqs.LEADER_EPOCH_MAX) {
            throw new IOException("the topic " + bridge.topic() + " of Kafka.Bridge was created anew " + number
                    + " times, for more than which positions have no room: give it another name");
        }
        return (int) number;
    }

    /** What is to be remembered of it. */
    static ProducerRecord<byte[], byte[]> record(String topic, Bridge bridge, long number) {
        return RetainedRecords.note(
                topic,
                0,
                (KEY + bridge.topic()).getBytes(StandardCharsets.US_ASCII),
                new RetainedRecords.At(bridge.identity(), number, 0));
    }
}
