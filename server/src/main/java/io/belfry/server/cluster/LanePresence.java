package io.belfry.server.cluster;

import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** Tracks which of a lane's subjects are watched on other nodes, and which have subscribers there. Owner: the lane's loop. */
final class LanePresence {
    private final PresenceReports log;
    private final Set<ByteBuffer> watchedElsewhere = new HashSet<>();
    private final Set<ByteBuffer> followedElsewhere = new HashSet<>();

    LanePresence(PresenceReports log) {
        this.log = log;
    }

    /** Called when publishers of this node start or stop watching the subject. */
    void onWatched(SubjectKey subject, boolean now) {
        log.watched(ByteBuffer.wrap(subject.copy()), now);
    }

    /** Called when this node gains or loses its subscribers of the subject. Only watched subjects are reported to other nodes. */
    void onFollowed(SubjectKey subject, boolean now) {
        if (!watchedElsewhere.isEmpty()) {
            ByteBuffer name = ByteBuffer.wrap(subject.copy());
            if (watchedElsewhere.contains(name)) {
                log.followed(name, now);
            }
        }
    }

    boolean isFollowedElsewhere(SubjectKey subject) {
        return !followedElsewhere.isEmpty() && followedElsewhere.contains(ByteBuffer.wrap(subject.copy()));
    }

    /** Called when other nodes start or stop watching; {@code followed} says whether this node has subscribers. */
    void onWatchedElsewhere(ByteBuffer subject, boolean now, boolean followed) {
        if (!now) {
            watchedElsewhere.remove(subject);
        } else if (watchedElsewhere.add(subject) && followed) {
            log.followed(subject, true);
        }
    }

    void onFollowedElsewhere(ByteBuffer subject, boolean now) {
        if (now) {
            followedElsewhere.add(subject);
        } else {
            followedElsewhere.remove(subject);
        }
    }
}
