package io.belfry.server.subject;

import java.util.function.Supplier;

/**
 * The subjects that a lane holds, because it is their home or because its sessions subscribe to them, and when it may
 * remove them. Owner: the lane's loop.
 */
public final class LaneSubjects {
    private final SubjectTable table;
    private final SubscriberList subscribers = new SubscriberList();
    private final IntColumn conflating = new IntColumn();
    private final IntColumn pins = new IntColumn();
    private final IntColumn options = new IntColumn();
    private final LaneSets interest;
    private final int lane;
    private final SubjectHomes homes;
    private final Supplier<SubjectHome> home;
    private final SubjectKey key;
    private int homed;

    public LaneSubjects(long seed, int lane, SubjectHomes homes, Supplier<SubjectHome> home) {
        table = new SubjectTable(seed);
        key = new SubjectKey(seed);
        this.lane = lane;
        this.homes = homes;
        this.home = home;
        interest = new LaneSets(homes.lanes());
    }

    public SubscriberList subscribers() {
        return subscribers;
    }

    public SubjectTable table() {
        return table;
    }

    /** Returns the number of subjects whose home this lane is. */
    public int homed() {
        return homed;
    }

    public int homeOf(SubjectKey subject) {
        return homes.of(subject);
    }

    public int find(SubjectKey subject) {
        return table.find(subject.bytes(), subject.length(), subject.hash());
    }

    public int findOrAdd(SubjectKey subject) {
        int known = find(subject);
        return known != SubjectTable.NONE ? known : add(subject);
    }

    /** Adds a subject that {@link #find} did not find. */
    public int add(SubjectKey subject) {
        int added = table.findOrAdd(subject.bytes(), subject.length(), subject.hash());
        if (homeOf(subject) == lane) {
            homed++;
            home.get().onCreated(added);
        }
        return added;
    }

    /** Called after a stored history was restored in the table under its earlier ids, before any other call. */
    public void endRestoring() {
        table.endRestore();
        homed = table.size();
    }

    public void setInterest(int subject, int edge, boolean interested) {
        interest.set(subject, edge, interested);
    }

    /** Returns the other lanes with subscribers of this subject, as bits. */
    public long interest(int subject) {
        return interest.at(subject);
    }

    public boolean hasSubscribers(int subject) {
        return interest(subject) != 0 || followers(subject) > 0;
    }

    /** Returns the number of the lane's sessions that subscribe to the subject by name, conflating ones included. */
    public int followers(int subject) {
        return subscribers.count(subject) + conflating.at(subject);
    }

    public void addConflating(int subject, int sessions) {
        conflating.set(subject, conflating.at(subject) + sessions);
    }

    /** Keeps a subject until {@link #unpin}, although it has no subscriber here and another home. */
    public void pin(int subject) {
        pins.set(subject, pins.at(subject) + 1);
    }

    public void unpin(int subject) {
        pins.set(subject, pins.at(subject) - 1);
        forgetIfUnused(subject);
    }

    /** Returns the value that {@link #setOptions} stored for the subject; 0 if none is stored. */
    public int options(int subject) {
        return options.at(subject);
    }

    /** Stores where the subject's options are, until the subject is removed. */
    public void setOptions(int subject, int value) {
        options.set(subject, value);
    }

    /** Removes a subject that has no subscribers, readers, history and retained message. */
    public void forgetIfUnused(int subject) {
        if (followers(subject) > 0 || pins.at(subject) > 0 || interest(subject) != 0) {
            return;
        }
        if (homeOf(key.set(table, subject)) == lane) {
            SubjectHome owner = home.get();
            if (owner.keeps(subject)) {
                return;
            }
            owner.onForgotten(subject);
            homed--;
        }
        options.set(subject, 0);
        table.remove(subject);
    }
}
