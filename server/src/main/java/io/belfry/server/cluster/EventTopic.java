package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import io.belfry.server.event.EventBatch;
import io.belfry.server.event.EventMessage;
import io.belfry.server.event.EventReceiver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A topic that gets events, for other programs: one record per event, with the key of the event. A batch waits for the outcome of
 * all its records, and its repetition begins with the first one that was not written, so records of one key have their true order.
 * Owner: the thread of the delivery.
 */
final class EventTopic implements EventReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(EventTopic.class);

    private final String topic;
    private final LogPublisher publisher;
    private @Nullable EventBatch current;

    /** Number of messages of the current batch that were written. */
    private int written;

    EventTopic(String topic, LogPublisher publisher) {
        this.topic = topic;
        this.publisher = publisher;
    }

    /** Finds the topic, or creates it. */
    static TopicDescription find(Admin admin, String topic, KafkaConfig config, int partitions)
            throws IOException, InterruptedException {
        NewTopic wanted = new NewTopic(
                        topic, partitions, (short) config.topics().replication())
                .configs(Map.of("min.insync.replicas", Topic.inSync(config)));
        try {
            return Topic.findOrCreate(admin, wanted);
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    @Override
    public Outcome deliver(EventBatch batch) throws InterruptedException {
        if (batch != current) {
            current = batch;
            written = 0;
        }
        List<EventMessage> messages = batch.messages();
        while (written < messages.size()) {
            Outcome outcome = write(messages.subList(written, messages.size()));
            if (!outcome.equals(ACCEPTED)) {
                return outcome;
            }
        }
        return ACCEPTED;
    }

    /** Writes the first of these messages, as many as the publisher takes. */
    private Outcome write(List<EventMessage> messages) throws InterruptedException {
        // With one time for all, the publisher refuses either none of its waiting records or all, which keeps their
        // order.
        long now = System.nanoTime();
        List<CompletableFuture<Outgoing.Answer>> answers = new ArrayList<>();
        for (EventMessage message : messages) {
            CompletableFuture<Outgoing.Answer> answer = new CompletableFuture<>();
            if (!publisher.offer(new Outgoing(record(message), now, answer::complete))) {
                break;
            }
            answers.add(answer);
        }
        return answers.isEmpty() ? new Outcome.Refused("Kafka.PublishBuffer is full") : outcome(answers);
    }

    private ProducerRecord<byte[], byte[]> record(EventMessage message) {
        return new ProducerRecord<>(topic, message.key().getBytes(StandardCharsets.UTF_8), message.data());
    }

    /** Waits for all answers, because a record that is still on its way must not follow its repetition. */
    private Outcome outcome(List<CompletableFuture<Outgoing.Answer>> answers) throws InterruptedException {
        Outcome outcome = ACCEPTED;
        for (CompletableFuture<Outgoing.Answer> each : answers) {
            try {
                if (each.get() instanceof Outgoing.Answer.Failed failed) {
                    outcome = outcome.equals(ACCEPTED) ? new Outcome.Refused(failed.reason()) : outcome;
                } else if (outcome.equals(ACCEPTED)) {
                    written++;
                }
            } catch (ExecutionException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return outcome;
    }

    @Override
    public void close() {
        try {
            publisher.close();
        } catch (InterruptedException interrupted) {
            LOG.debug("events may be lost, because the stop was interrupted", interrupted);
            Thread.currentThread().interrupt();
        }
    }
}
