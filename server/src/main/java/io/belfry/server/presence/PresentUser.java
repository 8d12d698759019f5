package io.belfry.server.presence;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A user with at least one session in a room, or whose last one ended recently. Owner: the room's lane. */
final class PresentUser {
    /** The longest form of an entry beside the name and the info: braces, names of members, a number and a comma. */
    private static final int ENTRY_BYTES = 48;

    private final PresenceRoom room;
    private final String user;
    private @Nullable String info;

    /** Sessions that subscribe now. */
    private int live;

    /** Sessions that ended, and that followers of the room still count. */
    private int leaving;

    private long dueNanos;
    private boolean joinReported;

    PresentUser(PresenceRoom room, String user, @Nullable String info) {
        this.room = room;
        this.user = user;
        this.info = info;
    }

    PresenceRoom room() {
        return room;
    }

    String user() {
        return user;
    }

    /** Returns the JSON text about the user, from the token of the session that entered last, or null. */
    @Nullable
    String info() {
        return info;
    }

    /** Returns the number of sessions that followers see. */
    int sessions() {
        return live + leaving;
    }

    boolean isLeaving() {
        return leaving > 0;
    }

    long dueNanos() {
        return dueNanos;
    }

    /** Adds a session, in the place of one that ended recently if there is one; returns whether followers see a difference. */
    boolean enter(@Nullable String nextInfo) {
        boolean same = leaving > 0 && Objects.equals(info, nextInfo);
        leaving = Math.max(0, leaving - 1);
        live++;
        info = nextInfo;
        return !same;
    }

    /** Removes a session, which followers see at this time at the earliest; returns false if there is none. */
    boolean leave(long visibleNanos) {
        if (live == 0) {
            return false;
        }
        live--;
        leaving++;
        dueNanos = visibleNanos;
        return true;
    }

    /** Forgets the sessions that ended. */
    void settle() {
        leaving = 0;
    }

    /** Returns whether this node has reported to the application that the user joined. */
    boolean isJoinReported() {
        return joinReported;
    }

    void setJoinReported() {
        joinReported = true;
    }

    /** Returns the maximum size of the user's entry in a list, in bytes. */
    int entryBytes() {
        int name = JsonStringEncoder.getInstance().quoteAsUTF8(user).length;
        return ENTRY_BYTES + name + (info == null ? 0 : info.getBytes(StandardCharsets.UTF_8).length);
    }
}
