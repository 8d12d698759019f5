package io.belfry.server.workgroup;

import io.belfry.server.broker.Broker;
import io.belfry.server.history.KnownSubjects;
import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.subject.SubscriberList;
import java.util.function.Supplier;

/**
 * The subjects that a lane holds, because it is their home or because its sessions subscribe to them, and when it may
 * remove them. Owner: the lane's loop.
 */
final class LaneSubjects {
    private final SubjectTable table;
    private final SubscriberList subscribers = new SubscriberList();
    private final IntColumn conflating = new IntColumn();
    private final IntColumn pins = new IntColumn();
    private final IntColumn[] interest;
    private final int lane;
    private final int lanes;
    private final Supplier<Broker> broker;
    private final SubjectKey key;
    private int homed;

    LaneSubjects(long seed, int lane, int lanes, Supplier<Broker> broker) {
        table = new SubjectTable(seed);
        key = new SubjectKey(seed);
        this.lane = lane;
        this.lanes = lanes;
        this.broker = broker;
        interest = new IntColumn[(lanes + Integer.SIZE - 1) / Integer.SIZE];
        java.util.Arrays.setAll(interest, i -> new IntColumn());
    }

    SubscriberList subscribers() {
        return subscribers;
    }

    SubjectTable table() {
        return table;
    }

    /** Returns the number of subjects whose home this lane is. */
    int homed() {
        return homed;
    }

    int homeOf(SubjectKey subject) {
        return homeOf(subject, lanes);
    }

    static int homeOf(SubjectKey subject, int lanes) {
        return subject.home(lanes);
    }

    int find(SubjectKey subject) {
        return table.find(subject.bytes(), subject.length(), subject.hash());
    }

    int findOrAdd(SubjectKey subject) {
        int known = find(subject);
        return known != SubjectTable.NONE ? known : add(subject);
    }

    /** Adds a subject that {@link #find} did not find. */
    int add(SubjectKey subject) {
        int added = table.findOrAdd(subject.bytes(), subject.length(), subject.hash());
        if (homeOf(subject) == lane) {
            homed++;
            broker.get().onCreated(added);
        }
        return added;
    }

    /** Returns the table for restoring a stored history under its earlier ids; used before any other call. */
    KnownSubjects restoring() {
        return new KnownSubjects(table, key);
    }

    void endRestoring() {
        table.endRestore();
        homed = table.size();
    }

    void setInterest(int subject, int edge, boolean interested) {
        IntColumn column = interest[edge >>> 5];
        int bit = 1 << (edge & 31);
        int before = column.at(subject);
        column.set(subject, interested ? before | bit : before & ~bit);
    }

    /** Returns the other lanes with subscribers of this subject, as bits. */
    long interest(int subject) {
        long low = interest[0].at(subject) & 0xFFFF_FFFFL;
        return interest.length == 1 ? low : low | (long) interest[1].at(subject) << 32;
    }

    boolean hasSubscribers(int subject) {
        return interest(subject) != 0 || followers(subject) > 0;
    }

    /** Returns the number of the lane's sessions that subscribe to the subject by name, conflating ones included. */
    int followers(int subject) {
        return subscribers.count(subject) + conflating.at(subject);
    }

    void addConflating(int subject, int sessions) {
        conflating.set(subject, conflating.at(subject) + sessions);
    }

    /** Keeps a subject until {@link #unpin}, although it has no subscriber here and another home. */
    void pin(int subject) {
        pins.set(subject, pins.at(subject) + 1);
    }

    void unpin(int subject) {
        pins.set(subject, pins.at(subject) - 1);
        forgetIfUnused(subject);
    }

    /** Removes a subject that has no subscribers, readers, history and retained message. */
    void forgetIfUnused(int subject) {
        if (followers(subject) > 0 || pins.at(subject) > 0 || interest(subject) != 0) {
            return;
        }
        if (homeOf(key.set(table, subject)) == lane) {
            Broker home = broker.get();
            if (!home.history().isEmpty(subject) || home.retained().has(subject)) {
                return;
            }
            home.onForgotten(subject);
            homed--;
        }
        table.remove(subject);
    }
}
