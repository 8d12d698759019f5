package io.belfry.integration;

import io.belfry.protocol.Position;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Records the message at each position of each subject, as acknowledgements and deliveries report it; all reports must
 * agree. At the end each position holds one acknowledged message, and each acknowledged message has one position. Any
 * thread.
 */
public final class Ledger {
    private static final BitSet NONE = new BitSet(0);

    /** Messages by subject, then by epoch. */
    private final Map<String, TreeMap<Long, LedgerEpoch>> subjects = new HashMap<>();

    private final FaultList faults;
    private long acknowledgements;
    private long deliveries;

    public Ledger(FaultList faults) {
        this.faults = faults;
    }

    public synchronized void acknowledged(String subject, Position at, Numbered message) {
        acknowledgements++;
        claim("an acknowledgement", subject, at, message).acknowledge(at.seq());
    }

    public synchronized void delivered(String who, String subject, Position at, Numbered message) {
        deliveries++;
        claim(who, subject, at, message);
    }

    private LedgerEpoch claim(String who, String subject, Position at, Numbered message) {
        LedgerEpoch epoch = subjects.computeIfAbsent(subject, each -> new TreeMap<>())
                .computeIfAbsent(at.epoch(), each -> new LedgerEpoch());
        Numbered known = epoch.putIfAbsent(at.seq(), message);
        if (known != null && !known.equals(message)) {
            faults.add(
                    who,
                    "at " + at + " of " + subject + " is " + message + ", but another participant reported " + known);
        }
        return epoch;
    }

    /** Returns the last position of each subject, after all publishes are acknowledged. */
    public synchronized Map<String, Position> ends() {
        Map<String, Position> ends = new HashMap<>();
        subjects.forEach((subject, epochs) -> ends.put(
                subject,
                new Position(epochs.lastKey(), epochs.lastEntry().getValue().last())));
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
        subjects.forEach((subject, epochs) -> {
            Map<Integer, BitSet> acknowledgedLater = new HashMap<>();
            epochs.descendingMap().forEach((epoch, messages) -> {
                LongFunction<String> place = seq -> new Position(epoch, seq) + " of " + subject;
                new Settling(epoch.equals(epochs.lastKey()), place, acknowledgedLater).run(messages);
            });
        });
    }

    /**
     * The check of one epoch. When the epoch ended with a server, its unacknowledged messages may have been published
     * again in a later epoch, and messages that no client received may be missing.
     */
    private final class Settling implements LedgerEpoch.Visitor {
        private final boolean lastEpoch;
        private final LongFunction<String> place;
        private final Map<Integer, BitSet> acknowledgedLater;
        private final Map<Integer, BitSet> acknowledgedHere = new HashMap<>();
        private final Map<Integer, Long> numbers = new HashMap<>();
        private long before = Long.MIN_VALUE;

        Settling(boolean lastEpoch, LongFunction<String> place, Map<Integer, BitSet> acknowledgedLater) {
            this.lastEpoch = lastEpoch;
            this.place = place;
            this.acknowledgedLater = acknowledgedLater;
        }

        void run(LedgerEpoch messages) {
            messages.forEach(this);
            acknowledgedHere.forEach((publisher, numbersHere) -> acknowledgedLater
                    .computeIfAbsent(publisher, each -> new BitSet())
                    .or(numbersHere));
        }

        @Override
        public void visit(long seq, Numbered message, boolean acknowledged) {
            if (lastEpoch && before != Long.MIN_VALUE && seq != before + 1) {
                faults.add("ledger", "no message is known before " + place.apply(seq));
            }
            before = seq;
            @Nullable Long previous = numbers.put(message.publisher(), message.number());
            if (previous != null && (lastEpoch ? message.number() != previous + 1 : message.number() <= previous)) {
                faults.add("ledger", message + " at " + place.apply(seq) + " follows number " + previous);
            }
            checkAcknowledgement(seq, message, acknowledged);
        }

        private void checkAcknowledgement(long seq, Numbered message, boolean acknowledged) {
            int number = Math.toIntExact(message.number());
            BitSet later = acknowledgedLater.getOrDefault(message.publisher(), NONE);
            BitSet here = acknowledgedHere.computeIfAbsent(message.publisher(), each -> new BitSet());
            if (!acknowledged && (lastEpoch || !later.get(number))) {
                faults.add("ledger", message + " at " + place.apply(seq) + " was not acknowledged");
            } else if (acknowledged && (later.get(number) || here.get(number))) {
                faults.add("ledger", message + " at " + place.apply(seq) + " was acknowledged at another position too");
            }
            if (acknowledged) {
                here.set(number);
            }
        }
    }
}
