package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows what one client heard of one subject and holds it against the promises: in order, each once, nothing missing
 * that was not announced, a snapshot or history before what is newer. Owner: the test's thread.
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

    /** {@code resumedFrom} has the seq of each subscribe command that named one. */
    Follower(String subject, Map<Long, Long> resumedFrom) {
        this.subject = subject;
        this.resumedFrom = resumedFrom;
    }

    /** Answers the seq the client is at, or null where it does not follow the subject in the end. */
    @Nullable
    Long follow(List<Heard> heard) {
        for (Heard event : heard) {
            if (event.subject().equals(subject)) {
                on(event, heard);
            }
        }
        return following ? Long.valueOf(expected - 1) : null;
    }

    private void on(Heard event, List<Heard> heard) {
        switch (event.op()) {
            case "subscribed" -> onSubscribed(event);
            case "unsubscribed" -> following = false;
            case "gap" -> onGap(event);
            case "message" -> onMessage(event, heard);
            default -> {}
        }
    }

    private void onSubscribed(Heard event) {
        following = true;
        conflating = !event.data().isEmpty();
        liveSeen = false;
        joinedAt = event.seq();
        lastPast = -1;
        Long from = resumedFrom.get(event.id());
        expected = from == null ? joinedAt + 1 : from + 1;
        assertThat(event.note()).isEqualTo(from == null ? "none" : event.note());
    }

    private void onGap(Heard event) {
        assertThat(following).isTrue();
        if (event.note().equals("history-gone")) {
            assertThat(event.seq()).isGreaterThanOrEqualTo(expected);
        } else if (!event.note().equals("epoch-changed")) {
            assertThat(event.seq()).as("%s", event).isGreaterThanOrEqualTo(expected);
            assertThat(event.data()).as("%s", event).endsWith(":" + (expected - 1));
        }
        expected = event.seq() + 1;
    }

    private void onMessage(Heard event, List<Heard> heard) {
        assertThat(following).as("%s in %s", event, heard).isTrue();
        String before = dataBySeq.putIfAbsent(event.seq(), event.data());
        assertThat(event.data()).isEqualTo(before == null ? event.data() : before);
        switch (event.note()) {
            case "snapshot", "history" -> {
                assertThat(liveSeen).as("%s in %s", event, heard).isFalse();
                assertThat(event.seq()).isLessThanOrEqualTo(joinedAt).isGreaterThan(lastPast);
                lastPast = event.seq();
            }
            default -> {
                liveSeen = true;
                if (conflating && event.note().equals("live")) {
                    assertThat(event.seq()).as("%s in %s", event, heard).isGreaterThanOrEqualTo(expected);
                    jumped += event.seq() - expected;
                } else {
                    assertThat(event.seq()).as("%s in %s", event, heard).isEqualTo(expected);
                }
                expected = event.seq() + 1;
            }
        }
    }

    /** Messages that later ones took the place of, as was agreed. */
    long jumped() {
        return jumped;
    }

    Map<Long, String> dataBySeq() {
        return dataBySeq;
    }
}
