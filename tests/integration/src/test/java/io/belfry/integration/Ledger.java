package io.belfry.integration;

import io.belfry.protocol.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which message lies at each position of each subject, as acknowledgements and deliveries tell it: all of them must tell
 * the same. In the end each position holds an acknowledged message, and each acknowledged message one position. Any thread.
 */
final class Ledger {
    /** Epochs in order, and in each of them messages in order of seq. */
    private final Map<String, TreeMap<Long, TreeMap<Long, Numbered>>> claims = new HashMap<>();

    private final Map<String, Map<Numbered, Position>> acknowledged = new HashMap<>();
    private final Faults faults;
    private long acknowledgements;
    private long deliveries;

    Ledger(Faults faults) {
        this.faults = faults;
    }

    synchronized void acknowledged(String subject, Position at, Numbered message) {
        acknowledgements++;
        claim("an acknowledgement", subject, at, message);
        Position before =
                acknowledged.computeIfAbsent(subject, each -> new HashMap<>()).put(message, at);
        if (before != null && !before.equals(at)) {
            faults.add("publisher", message + " of " + subject + " was acknowledged at " + before + " and at " + at);
        }
    }

    synchronized void delivered(String who, String subject, Position at, Numbered message) {
        deliveries++;
        claim(who, subject, at, message);
    }

    private void claim(String who, String subject, Position at, Numbered message) {
        Numbered known = claims.computeIfAbsent(subject, each -> new TreeMap<>())
                .computeIfAbsent(at.epoch(), each -> new TreeMap<>())
                .putIfAbsent(at.seq(), message);
        if (known != null && !known.equals(message)) {
            faults.add(who, "at " + at + " of " + subject + " lies " + message + ", and another says " + known);
        }
    }

    /** The last position of each subject, when everything is acknowledged. */
    synchronized Map<String, Position> ends() {
        Map<String, Position> ends = new HashMap<>();
        claims.forEach((subject, epochs) -> {
            Map.Entry<Long, TreeMap<Long, Numbered>> last = epochs.lastEntry();
            ends.put(subject, new Position(last.getKey(), last.getValue().lastKey()));
        });
        return ends;
    }

    synchronized long acknowledgements() {
        return acknowledgements;
    }

    synchronized long deliveries() {
        return deliveries;
    }

    /** When every publish was answered and everything was delivered: the whole must fit together. */
    synchronized void settle() {
        claims.forEach((subject, epochs) ->
                epochs.forEach((epoch, messages) -> settle(subject, epoch, epoch.equals(epochs.lastKey()), messages)));
    }

    /**
     * Of an epoch that went with a server, what it had not acknowledged may have been published again in the next, and what
     * it had told nobody of is nowhere.
     */
    private void settle(String subject, long epoch, boolean last, SortedMap<Long, Numbered> messages) {
        Map<Integer, Long> numbers = new HashMap<>();
        Set<Numbered> seen = new HashSet<>();
        long before = messages.firstKey() - 1;
        for (Map.Entry<Long, Numbered> entry : messages.entrySet()) {
            Position at = new Position(epoch, entry.getKey());
            Numbered message = entry.getValue();
            if (last && entry.getKey() != before + 1) {
                faults.add("ledger", "nothing is known of what lies before " + at + " of " + subject);
            }
            before = entry.getKey();
            @Nullable
            Position acknowledgedAt =
                    acknowledged.getOrDefault(subject, Map.of()).get(message);
            if (!at.equals(acknowledgedAt) && (last || acknowledgedAt == null || acknowledgedAt.epoch() <= epoch)) {
                faults.add(
                        "ledger",
                        message + " lies at " + at + " of " + subject + ", acknowledged at " + acknowledgedAt);
            }
            if (!seen.add(message)) {
                faults.add("ledger", message + " of " + subject + " was kept twice, again at " + at);
            }
            @Nullable Long previous = numbers.put(message.publisher(), message.number());
            if (previous != null && (last ? message.number() != previous + 1 : message.number() <= previous)) {
                faults.add("ledger", message + " at " + at + " of " + subject + " comes after number " + previous);
            }
        }
    }
}
