package io.belfry.server.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;

/**
 * A topic of other programs whose records are messages: subject {@code /T/k} is its key {@code k}. Immutable.
 *
 * @param id the id of the topic that has the name now
 * @param identity a number that changes with the topic and with its number of partitions
 * @param first its first partition among all that this node reads
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Bridge(String topic, byte[] prefix, String id, long identity, int first, int count) {
    Bridge(String topic, String id, long identity, int first, int count) {
        this(topic, ("/" + topic + "/").getBytes(StandardCharsets.US_ASCII), id, identity, first, count);
    }

    /** Finds the configured topics. Throws if one does not exist. */
    static List<Bridge> find(Admin admin, List<String> topics, int first) throws IOException, InterruptedException {
        List<Bridge> found = new ArrayList<>();
        int next = first;
        try {
            String cluster = admin.describeCluster().clusterId().get();
            for (String topic : topics) {
                TopicDescription described = Topic.describe(admin, topic, Topic.ASK_MILLIS)
                        .orElseThrow(() -> new Topic.WrongTopic("the topic " + topic
                                + " of Kafka.Bridge does not exist: create it, or remove it from the list"));
                String id = described.topicId().toString();
                int count = described.partitions().size();
                found.add(new Bridge(topic, id, Topic.epoch(cluster + "/" + id + "/" + count), next, count));
                next += count;
            }
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
        return List.copyOf(found);
    }

    /** Returns the change of the topic that ends this node, or empty. A topic that does not exist has no records. */
    Optional<String> change(Admin admin, long millis) throws ExecutionException, InterruptedException {
        TopicDescription now = Topic.describe(admin, topic, millis).orElse(null);
        if (now != null && !now.topicId().toString().equals(id)) {
            return Optional.of("the topic " + topic + " was deleted and created again");
        }
        return now == null || now.partitions().size() == count
                ? Optional.empty()
                : Optional.of("the number of partitions of topic " + topic + " changed from " + count + " to "
                        + now.partitions().size());
    }

    boolean has(byte[] subject) {
        return subject.length > prefix.length && Arrays.equals(subject, 0, prefix.length, prefix, 0, prefix.length);
    }

    byte[] key(byte[] subject) {
        return Arrays.copyOfRange(subject, prefix.length, subject.length);
    }

    byte[] subject(byte[] key) {
        byte[] subject = Arrays.copyOf(prefix, prefix.length + key.length);
        System.arraycopy(key, 0, subject, prefix.length, key.length);
        return subject;
    }
}
