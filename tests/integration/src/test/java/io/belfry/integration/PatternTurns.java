package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Clients that follow a pattern one after the other, each from the position of the one before. Messages are published
 * during each turn and between two turns, on old subjects and on new ones.
 */
final class PatternTurns {
    private static final int MESSAGES = 40;

    private final String prefix;
    private BelfryClient publisher;
    private final Map<String, List<String>> published;
    private final ConcurrentMap<String, List<String>> received = new ConcurrentHashMap<>();
    private final List<Gap> gaps = new CopyOnWriteArrayList<>();
    private int number;

    PatternTurns(String prefix, BelfryClient publisher) {
        this(prefix, publisher, new ConcurrentHashMap<>(), 0);
    }

    private PatternTurns(String prefix, BelfryClient publisher, Map<String, List<String>> published, int number) {
        this.prefix = prefix;
        this.publisher = publisher;
        this.published = published;
        this.number = number;
    }

    /** Returns turns that have received nothing of what was published. */
    PatternTurns again() {
        return new PatternTurns(prefix, publisher, published, number);
    }

    /** Sets the client that publishes from now on. */
    PatternTurns with(BelfryClient next) {
        publisher = next;
        return this;
    }

    /** Follows the pattern until everything published is received; returns the position at which it was confirmed. */
    String take(BelfryClient.Builder connection, SubscribeOptions options) {
        if (!options.equals(SubscribeOptions.LIVE)) {
            publish();
        }
        try (BelfryClient client = connection.build().start()) {
            Subscription subscription = client.subscribe(prefix + "/**", recorder(), options);
            subscription.ready().orTimeout(30, TimeUnit.SECONDS).join();
            Await.until("the pattern has a position", () -> subscription.position() != null);
            String position = Objects.requireNonNull(subscription.position());
            publish();
            Await.until("all messages are received", () -> count(received) >= count(published));
            return position;
        }
    }

    private MessageListener recorder() {
        return new MessageListener() {
            @Override
            public void onMessage(Message message) {
                List<String> of = received.computeIfAbsent(message.subject(), subject -> new CopyOnWriteArrayList<>());
                String text = message.text();
                // The position is behind the last message, so the next client receives some messages again.
                if (!of.contains(text)) {
                    of.add(text);
                }
            }

            @Override
            public void onGap(Gap gap) {
                gaps.add(gap);
            }
        };
    }

    private static int count(Map<String, List<String>> texts) {
        return texts.values().stream().mapToInt(List::size).sum();
    }

    private void publish() {
        for (int i = 0; i < MESSAGES; i++) {
            number++;
            String subject = prefix + "/" + number % (5 + number / MESSAGES);
            publisher
                    .publish(subject, Integer.toString(number))
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            published.computeIfAbsent(subject, each -> new ArrayList<>()).add(Integer.toString(number));
        }
    }

    /** Fails unless each message was received, and those of each subject in order. */
    void requireAll() {
        assertThat(received).containsExactlyInAnyOrderEntriesOf(published);
        assertThat(gaps).isEmpty();
    }
}
