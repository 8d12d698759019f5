package io.belfry.server.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Counts how many topics had a bridge's name before the present one. {@code Kafka.RetainedTopic} stores the identity of the
 * last topic and its number, because nothing else survives the deletion of a topic. Every node that starts computes the same
 * number. Owner: the thread that starts the cluster.
 */
final class Incarnations {
    private static final String KEY = "bridge ";
    private final Map<String, RetainedRecords.At> known = new HashMap<>();

    static boolean isKey(byte[] key) {
        return new String(key, StandardCharsets.US_ASCII).startsWith(KEY);
    }

    /** Takes a record of the retained topic: its epoch is the identity, its seq the number. */
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
            throw new IOException("the topic " + bridge.topic() + " of Kafka.Bridge was created again " + number
                    + " times, more than positions can count: use another topic name");
        }
        return (int) number;
    }

    /** Returns the record that stores the bridge's number. */
    static ProducerRecord<byte[], byte[]> record(String topic, Bridge bridge, long number) {
        return RetainedRecords.note(
                topic,
                0,
                (KEY + bridge.topic()).getBytes(StandardCharsets.US_ASCII),
                new RetainedRecords.At(bridge.identity(), number, 0));
    }
}
