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
 * Records the message at each position of each subject, as acknowledgements and deliveries report it; all reports must
 * agree. At the end each position holds one acknowledged message, and each acknowledged message has one position. Any
 * thread.
 */
public final class Ledger {
    /** Messages by subject, then by epoch, then by seq. */
    private final Map<String, TreeMap<Long, TreeMap<Long, Numbered>>> claims = new HashMap<>();

    private final Map<String, Map<Numbered, Position>> acknowledged = new HashMap<>();
    private final FaultList faults;
    private long acknowledgements;
    private long deliveries;

    public Ledger(FaultList faults) {
        this.faults = faults;
    }

    public synchronized void acknowledged(String subject, Position at, Numbered message) {
        acknowledgements++;
        claim("an acknowledgement", subject, at, message);
        Position before =
                acknowledged.computeIfAbsent(subject, each -> new HashMap<>()).put(message, at);
        if (before != null && !before.equals(at)) {
            faults.add("publisher", message + " of " + subject + " was acknowledged at " + before + " and at " + at);
        }
    }

    public synchronized void delivered(String who, String subject, Position at, Numbered message) {
        deliveries++;
        claim(who, subject, at, message);
    }

    private void claim(String who, String subject, Position at, Numbered message) {
        Numbered known = claims.computeIfAbsent(subject, each -> new TreeMap<>())
                .computeIfAbsent(at.epoch(), each -> new TreeMap<>())
                .putIfAbsent(at.seq(), message);
        if (known != null && !known.equals(message)) {
            faults.add(
                    who,
                    "at " + at + " of " + subject + " is " + message + ", but another participant reported " + known);
        }
    }

    /** Returns the last position of each subject, after all publishes are acknowledged. */
    public synchronized Map<String, Position> ends() {
        Map<String, Position> ends = new HashMap<>();
        claims.forEach((subject, epochs) -> {
            Map.Entry<Long, TreeMap<Long, Numbered>> last = epochs.lastEntry();
            ends.put(subject, new Position(last.getKey(), last.getValue().lastKey()));
        });
        return ends;
    }

    public synchronized long acknowledgements() {
        return acknowledgements;
    }

    public synchronized long deliveries() {
        return deliveries;
    }

    /** Checks that the records are complete, after every publish was answered and every message delivered. */
    public synchronized void settle() {
        claims.forEach((subject, epochs) ->
                epochs.forEach((epoch, messages) -> settle(subject, epoch, epoch.equals(epochs.lastKey()), messages)));
    }

    /**
     * Checks one epoch. When the epoch ended with a server, its unacknowledged messages may have been published again
     * in the next epoch, and messages that no client received may be missing.
     */
    private void settle(String subject, long epoch, boolean last, SortedMap<Long, Numbered> messages) {
        Map<Integer, Long> numbers = new HashMap<>();
        Set<Numbered> seen = new HashSet<>();
        long before = messages.firstKey() - 1;
        for (Map.Entry<Long, Numbered> entry : messages.entrySet()) {
            Position at = new Position(epoch, entry.getKey());
            Numbered message = entry.getValue();
            if (last && entry.getKey() != before + 1) {
                faults.add("ledger", "no message is known before " + at + " of " + subject);
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
                faults.add("ledger", message + " of " + subject + " was stored twice, again at " + at);
            }
            @Nullable Long previous = numbers.put(message.publisher(), message.number());
            if (previous != null && (last ? message.number() != previous + 1 : message.number() <= previous)) {
                faults.add("ledger", message + " at " + at + " of " + subject + " follows number " + previous);
            }
        }
    }
}
