package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the events that one client received for one subject: messages are in order and not repeated, missing ones are
 * announced by gaps, and a snapshot or history precedes newer messages. Owner: the test's thread.
 */
final class Follower {
    private final String subject;
    private final Map<Long, Long> resumedFrom;
    private final Map<Long, String> dataBySeq = new HashMap<>();
    private boolean following;
    private boolean conflating;
    private long joinedAt;
    private long expected;
    private long lastPast;
    private long jumped;
    private boolean liveSeen;

    /** {@code resumedFrom} maps the id of each resuming subscribe command to its seq. */
    Follower(String subject, Map<Long, Long> resumedFrom) {
        this.subject = subject;
        this.resumedFrom = resumedFrom;
    }

    /** Returns the seq of the last message, or null if the client is not subscribed at the end. */
    @Nullable
    Long follow(List<ReceivedEvent> received) {
        for (ReceivedEvent event : received) {
            if (event.subject().equals(subject)) {
                on(event, received);
            }
        }
        return following ? Long.valueOf(expected - 1) : null;
    }

    private void on(ReceivedEvent event, List<ReceivedEvent> received) {
        switch (event.op()) {
            case "subscribed" -> onSubscribed(event);
            case "unsubscribed" -> following = false;
            case "gap" -> onGap(event);
            case "message" -> onMessage(event, received);
            default -> {}
        }
    }

    private void onSubscribed(ReceivedEvent event) {
        following = true;
        conflating = !event.data().isEmpty();
        liveSeen = false;
        joinedAt = event.seq();
        lastPast = -1;
        Long from = resumedFrom.get(event.id());
        expected = from == null ? joinedAt + 1 : from + 1;
        assertThat(event.note()).isEqualTo(from == null ? "none" : event.note());
    }

    private void onGap(ReceivedEvent event) {
        assertThat(following).isTrue();
        if (event.note().equals("history-gone")) {
            assertThat(event.seq()).isGreaterThanOrEqualTo(expected);
        } else if (!event.note().equals("epoch-changed")) {
            assertThat(event.seq()).as("%s", event).isGreaterThanOrEqualTo(expected);
            assertThat(event.data()).as("%s", event).endsWith(":" + (expected - 1));
        }
        expected = event.seq() + 1;
    }

    private void onMessage(ReceivedEvent event, List<ReceivedEvent> received) {
        assertThat(following).as("%s in %s", event, received).isTrue();
        String before = dataBySeq.putIfAbsent(event.seq(), event.data());
        assertThat(event.data()).isEqualTo(before == null ? event.data() : before);
        switch (event.note()) {
            case "snapshot", "history" -> {
                assertThat(liveSeen).as("%s in %s", event, received).isFalse();
                assertThat(event.seq()).isLessThanOrEqualTo(joinedAt).isGreaterThan(lastPast);
                lastPast = event.seq();
            }
            default -> {
                liveSeen = true;
                if (conflating && event.note().equals("live")) {
                    assertThat(event.seq()).as("%s in %s", event, received).isGreaterThanOrEqualTo(expected);
                    jumped += event.seq() - expected;
                } else {
                    assertThat(event.seq()).as("%s in %s", event, received).isEqualTo(expected);
                }
                expected = event.seq() + 1;
            }
        }
    }

    /** Returns the number of messages that conflation replaced with later ones. */
    long jumped() {
        return jumped;
    }

    Map<Long, String> dataBySeq() {
        return dataBySeq;
    }
}
