package io.belfry.client;

import io.belfry.client.connection.Ending;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A link that records what it is asked to send. */
final class RecordedLink implements Link {
    final List<String> sent = new ArrayList<>();

    /** Returns what was sent since the last call. */
    List<String> takeSent() {
        List<String> all = List.copyOf(sent);
        sent.clear();
        return all;
    }

    private static String text(byte[] subject) {
        return new String(subject, StandardCharsets.UTF_8);
    }

    @Override
    public void open() {}

    @Override
    public void subscribe(WantedSubscription wanted) {
        Object from = wanted.isPattern() ? wanted.patternFrom() : wanted.from();
        sent.add("subscribe " + text(wanted.subject()) + (from == null ? "" : " from " + from));
    }

    @Override
    public void unsubscribe(List<byte[]> subjects) {
        subjects.forEach(subject -> sent.add("unsubscribe " + text(subject)));
    }

    @Override
    public boolean answersUnsubscribe() {
        return true;
    }

    @Override
    public void watch(byte[] subject) {
        sent.add("watch " + text(subject));
    }

    @Override
    public void unwatch(byte[] subject) {
        sent.add("unwatch " + text(subject));
    }

    @Override
    public boolean publish(Publish publish) {
        return false;
    }

    @Override
    public void flush() {}

    @Override
    public void renew(String token) {}

    @Override
    public void ping() {}

    @Override
    public boolean expectsReads() {
        return true;
    }

    @Override
    public long lastReadNanos() {
        return 0;
    }

    @Override
    public void pauseReading(boolean pause) {}

    @Override
    public void finish() {}

    @Override
    public void fail(Ending ending) {}
}
