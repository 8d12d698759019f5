package io.belfry.server.presence;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Writes the messages of presence subjects as JSON, as docs/presence.md describes them. Pure. */
final class PresenceText {
    private PresenceText() {}

    /** Returns the whole list. */
    static byte[] state(PresenceRoom room) {
        StringBuilder out = new StringBuilder("{\"event\":\"state\"");
        totals(out, room.users(), room.sessions()).append(",\"members\":[");
        String separator = "{";
        for (PresentUser each : room.members()) {
            member(out.append(separator), each).append('}');
            separator = ",{";
        }
        return bytes(out.append("]}"));
    }

    /** Returns the whole list that followers have been sent. */
    static byte[] state(int sessions, Collection<PresenceList.Entry> members) {
        StringBuilder out = new StringBuilder("{\"event\":\"state\"");
        totals(out, members.size(), sessions).append(",\"members\":[");
        String separator = "{";
        for (PresenceList.Entry each : members) {
            member(out.append(separator), each.user(), each.sessions(), each.info())
                    .append('}');
            separator = ",{";
        }
        return bytes(out.append("]}"));
    }

    /** Returns the numbers of users and sessions, for a room whose list is too long. */
    static byte[] counts(int users, int sessions) {
        return bytes(totals(new StringBuilder("{\"event\":\"counts\""), users, sessions)
                .append('}'));
    }

    static byte[] joined(PresentUser user) {
        return bytes(member(new StringBuilder("{\"event\":\"joined\","), user).append('}'));
    }

    static byte[] changed(PresentUser user) {
        return bytes(member(new StringBuilder("{\"event\":\"changed\","), user).append('}'));
    }

    static byte[] left(PresentUser user) {
        return bytes(
                name(new StringBuilder("{\"event\":\"left\","), user.user()).append('}'));
    }

    private static StringBuilder totals(StringBuilder out, int users, int sessions) {
        return out.append(",\"users\":").append(users).append(",\"sessions\":").append(sessions);
    }

    private static StringBuilder member(StringBuilder out, PresentUser user) {
        return member(out, user.user(), user.sessions(), user.info());
    }

    private static StringBuilder member(StringBuilder out, String user, int sessions, @Nullable String info) {
        name(out, user).append(",\"sessions\":").append(sessions);
        if (info != null) {
            out.append(",\"info\":").append(info);
        }
        return out;
    }

    private static StringBuilder name(StringBuilder out, String user) {
        JsonStringEncoder.getInstance().quoteAsString(user, out.append("\"user\":\""));
        return out.append('"');
    }

    private static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
