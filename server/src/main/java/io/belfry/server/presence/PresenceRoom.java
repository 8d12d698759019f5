package io.belfry.server.presence;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of one subject. Followers get a list of them, or counts only if the list would be too long. Owner: the lane that is
 * the home of the room's presence subject.
 */
final class PresenceRoom {
    /** Bytes of a state beside its entries. */
    private static final int STATE_BYTES = 128;

    /** A list appears again when it is at most this share of its bounds, so that one member does not switch it on and off. */
    private static final int BACK_PERCENT = 75;

    /** The presence subject. */
    private final byte[] subject;

    private final Map<String, PresentUser> users = new LinkedHashMap<>();
    private int sessions;
    private long listBytes = STATE_BYTES;
    private boolean listed = true;
    private byte @Nullable [] state;

    PresenceRoom(byte[] subject) {
        this.subject = subject;
    }

    byte[] subject() {
        return subject;
    }

    boolean isEmpty() {
        return users.isEmpty();
    }

    /** Returns the number of users that followers see. */
    int users() {
        return users.size();
    }

    /** Returns the number of sessions that followers see. */
    int sessions() {
        return sessions;
    }

    Collection<PresentUser> members() {
        return users.values();
    }

    /** Returns the present members, for the server API. */
    PresenceList list() {
        List<PresenceList.Entry> entries = users.values().stream()
                .map(each -> new PresenceList.Entry(each.user(), each.sessions(), each.info()))
                .toList();
        return new PresenceList(users(), sessions, listed ? entries : null);
    }

    /** Returns whether followers get the list of the members, not only counts. */
    boolean isListed() {
        return listed;
    }

    @Nullable
    PresentUser find(String user) {
        return users.get(user);
    }

    /** Adds a session of a user; returns whether followers see a difference. */
    boolean enter(PresentUser user, @Nullable String info) {
        boolean known = users.putIfAbsent(user.user(), user) != null;
        listBytes -= known ? user.entryBytes() : 0;
        sessions -= user.sessions();
        boolean changed = user.enter(info);
        sessions += user.sessions();
        listBytes += user.entryBytes();
        if (changed) {
            state = null;
        }
        return changed;
    }

    /** Applies the ends of a user's sessions, and removes the user with the last one. */
    void settle(PresentUser user) {
        sessions -= user.sessions();
        user.settle();
        sessions += user.sessions();
        state = null;
        if (user.sessions() == 0) {
            users.remove(user.user());
            listBytes -= user.entryBytes();
        }
    }

    /** Decides between the list and counts; returns whether that changed. */
    boolean decide(int membersMax, int bytesMax) {
        boolean fits = users.size() <= membersMax && listBytes <= bytesMax;
        boolean fitsWell = users.size() <= membersMax * (long) BACK_PERCENT / 100
                && listBytes <= bytesMax * (long) BACK_PERCENT / 100;
        boolean next = listed ? fits : fitsWell;
        boolean changed = next != listed;
        if (changed) {
            listed = next;
            state = null;
        }
        return changed;
    }

    /** Returns the message with the whole state: the list, or the counts. It is encoded once per change, not per follower. */
    byte[] state() {
        byte[] present = state;
        if (present == null) {
            present = listed ? PresenceText.state(this) : PresenceText.counts(users(), sessions);
            state = present;
        }
        return present;
    }
}
