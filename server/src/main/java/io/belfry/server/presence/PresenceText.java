package io.belfry.server.presence;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;

/** Writes the messages of presence subjects as JSON, as docs/presence.md describes them. Pure. */
final class PresenceText {
    private PresenceText() {}

    /** Returns the whole list. */
    static byte[] state(PresenceRoom room) {
        StringBuilder out = new StringBuilder("{\"event\":\"state\"");
        totals(out, room).append(",\"members\":[");
        String separator = "{";
        for (PresentUser each : room.members()) {
            member(out.append(separator), each).append('}');
            separator = ",{";
        }
        return bytes(out.append("]}"));
    }

    /** Returns the numbers of users and sessions, for a room whose list is too long. */
    static byte[] counts(PresenceRoom room) {
        return bytes(totals(new StringBuilder("{\"event\":\"counts\""), room).append('}'));
    }

    static byte[] joined(PresentUser user) {
        return bytes(member(new StringBuilder("{\"event\":\"joined\","), user).append('}'));
    }

    static byte[] changed(PresentUser user) {
        return bytes(member(new StringBuilder("{\"event\":\"changed\","), user).append('}'));
    }

    static byte[] left(PresentUser user) {
        return bytes(name(new StringBuilder("{\"event\":\"left\","), user).append('}'));
    }

    private static StringBuilder totals(StringBuilder out, PresenceRoom room) {
        return out.append(",\"users\":")
                .append(room.users())
                .append(",\"sessions\":")
                .append(room.sessions());
    }

    private static StringBuilder member(StringBuilder out, PresentUser user) {
        name(out, user).append(",\"sessions\":").append(user.sessions());
        if (user.info() != null) {
            out.append(",\"info\":").append(user.info());
        }
        return out;
    }

    private static StringBuilder name(StringBuilder out, PresentUser user) {
        JsonStringEncoder.getInstance().quoteAsString(user.user(), out.append("\"user\":\""));
        return out.append('"');
    }

    private static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
