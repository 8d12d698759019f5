package io.belfry.server.edge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The users whose hash selects this lane, each with the sessions of all lanes in the order in which they arrived here. Owner: the
 * lane's loop. Its size is bounded by the number of sessions: a user without a session is not in it.
 */
final class UserDirectory {
    /** The sessions of a user; most users have one. */
    sealed interface Sessions permits Holder, Several {}

    /**
     * A session of a user. Immutable.
     *
     * @param lane lane of the session
     * @param session reference of the session there
     * @param claim number of the claim among those of its lane, because a session may change its user
     */
    record Holder(int lane, long session, long claim) implements Sessions {}

    record Several(LinkedHashSet<Holder> holders) implements Sessions {}

    private final Map<String, Sessions> users = new HashMap<>();

    /** Returns the number of users. */
    int size() {
        return users.size();
    }

    /** Returns the number of sessions of a user. */
    int sessions(String user) {
        return switch (users.get(user)) {
            case null -> 0;
            case Holder one -> 1;
            case Several several -> several.holders.size();
        };
    }

    /** Returns the sessions of a user, the oldest first. */
    List<Holder> holders(String user) {
        return switch (users.get(user)) {
            case null -> List.of();
            case Holder one -> List.of(one);
            case Several several -> List.copyOf(several.holders);
        };
    }

    void add(String user, Holder newcomer) {
        switch (users.get(user)) {
            case null -> users.put(user, newcomer);
            case Holder one -> {
                LinkedHashSet<Holder> both = new LinkedHashSet<>(4);
                both.add(one);
                both.add(newcomer);
                users.put(user, new Several(both));
            }
            case Several several -> several.holders.add(newcomer);
        }
    }

    /** Removes a session, if it has not been removed before. */
    void remove(String user, Holder holder) {
        switch (users.get(user)) {
            case null -> {}
            case Holder one -> users.remove(user, holder);
            case Several several -> {
                several.holders.remove(holder);
                shrink(user, several);
            }
        }
    }

    /** Removes the oldest sessions of a user until this many remain; returns the removed ones. */
    List<Holder> removeOldest(String user, int remaining) {
        if (!(users.get(user) instanceof Several several)) {
            return List.of();
        }
        List<Holder> removed = new ArrayList<>();
        Iterator<Holder> oldest = several.holders.iterator();
        while (several.holders.size() > remaining) {
            removed.add(oldest.next());
            oldest.remove();
        }
        shrink(user, several);
        return removed;
    }

    private void shrink(String user, Several several) {
        if (several.holders.isEmpty()) {
            users.remove(user);
        } else if (several.holders.size() == 1) {
            users.put(user, several.holders.getFirst());
        }
    }
}
