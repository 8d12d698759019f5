package io.belfry.server.handoff;

import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.SubjectOptions;
import io.belfry.server.config.SubjectRules;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;

/**
 * The options of a lane's subjects. A subject is compared with the patterns once; the index of its options is then a value of
 * the subject, together with the number of reloads, so that a reload needs no pass over the subjects. Without lines
 * {@code Subjects.N} nothing is stored. Owner: the lane's loop.
 */
public final class LaneOptions {
    private static final int INDEX_BITS = 7;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

    private final LaneSubjects subjects;
    private final SubjectKey key;
    private SubjectRules rules;
    private int generation = 1;
    private boolean showsPublishers;
    private boolean limitsRetained;
    private boolean showsMembers;
    private boolean reportsMessages;

    /** Creates the options; {@code seed} is the seed of the subject hashes. */
    public LaneOptions(LaneSubjects subjects, long seed, SubjectRules rules) {
        this.subjects = subjects;
        this.rules = rules;
        key = new SubjectKey(seed);
        reconfigure(rules);
    }

    /** Applies other lines. Each subject is compared with their patterns when its options are read next. */
    public void reconfigure(SubjectRules next) {
        rules = next;
        showsPublishers = next.any(SubjectOptions::publisher);
        limitsRetained = next.any(options -> options.retainedMillis() < HistoryConfig.NO_EXPIRY);
        showsMembers = next.any(SubjectOptions::presence);
        reportsMessages = next.any(options -> options.events().ofMessages());
        restart();
    }

    /** Forgets the options of all subjects, because ids may have other subjects now. */
    public void restart() {
        generation = generation == Integer.MAX_VALUE >>> INDEX_BITS ? 1 : generation + 1;
    }

    /** Returns whether all subjects have the same options. */
    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Returns whether messages of some subjects have the name of their publisher. */
    public boolean showsPublishers() {
        return showsPublishers;
    }

    /** Returns whether the members of some subjects are published. */
    public boolean showsMembers() {
        return showsMembers;
    }

    /** Returns whether messages of some subjects are reported to the application. */
    public boolean reportsMessages() {
        return reportsMessages;
    }

    /** Returns whether retained messages of some subjects have a maximum age. */
    public boolean limitsRetained() {
        return limitsRetained;
    }

    /** Returns the lines. */
    public SubjectRules rules() {
        return rules;
    }

    /** Returns the options of a subject of the lane's table. */
    public SubjectOptions of(int subject) {
        if (rules.isEmpty()) {
            return rules.general();
        }
        int stored = subjects.options(subject);
        return stored >>> INDEX_BITS == generation ? rules.at(stored & INDEX_MASK) : find(subject);
    }

    private SubjectOptions find(int subject) {
        if (!subjects.table().has(subject)) {
            // A removed message may still be in the log after its subject was removed.
            return rules.general();
        }
        key.set(subjects.table(), subject);
        int index = rules.indexOf(key.bytes(), key.length());
        subjects.setOptions(subject, generation << INDEX_BITS | index);
        return rules.at(index);
    }

    /** Returns the options of a subject that the lane may not have, by comparing it with the patterns. */
    public SubjectOptions of(SubjectKey subject) {
        return rules.of(subject.bytes(), subject.length());
    }
}
