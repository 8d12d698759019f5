package io.belfry.server.workgroup;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of members that a follower of a presence subject has, by the rules of docs/presence.md. Owner: the test's thread. */
final class PresenceView {
    private static final Pattern EVENT = Pattern.compile("\\{\"event\":\"(\\w+)\"");
    private static final Pattern COUNTS = Pattern.compile("\"users\":(\\d+),\"sessions\":(\\d+)");
    private static final Pattern MEMBER =
            Pattern.compile("\"user\":\"(\\w+)\"(?:,\"sessions\":(\\d+))?(?:,\"info\":(\\{[^}]*}))?");

    private final String subject;
    private int read;

    /** Sessions and info by user. */
    final Map<String, String> members = new TreeMap<>();

    boolean counted;
    int users;
    int sessions;
    Position at = new Position(0, 0);

    /** The position of the latest message or gap. Immutable. */
    record Position(long epoch, long seq) {}

    PresenceView(String subject) {
        this.subject = subject;
    }

    /** Reads what the client has received since the last call; returns the events with the names of the users. */
    Map<String, Integer> read(LaneClient client) {
        Map<String, Integer> events = new TreeMap<>();
        for (; read < client.received().size(); read++) {
            ReceivedEvent event = client.received().get(read);
            if (event.is("gap", subject)) {
                clear();
                at = new Position(event.epoch(), event.seq());
            } else if (event.is("subscribed", subject) && event.note().equals("none")) {
                clear();
                at = new Position(event.epoch(), event.seq());
            } else if (event.is("message", subject)) {
                at = new Position(event.epoch(), event.seq());
                events.merge(apply(event.data()), 1, Integer::sum);
            }
        }
        return events;
    }

    private void clear() {
        members.clear();
        counted = false;
        users = 0;
        sessions = 0;
    }

    /** Goes on with another connection, which has received nothing yet. */
    void reconnected() {
        read = 0;
    }

    private String apply(String data) {
        Matcher event = EVENT.matcher(data);
        if (!event.find()) {
            throw new AssertionError(data);
        }
        Matcher member = MEMBER.matcher(data);
        switch (event.group(1)) {
            case "state", "counts" -> {
                clear();
                counted = event.group(1).equals("counts");
                Matcher counts = COUNTS.matcher(data);
                if (counts.find()) {
                    users = Integer.parseInt(counts.group(1));
                    sessions = Integer.parseInt(counts.group(2));
                }
                while (member.find()) {
                    members.put(member.group(1), member.group(2) + member.group(3));
                }
                return event.group(1);
            }
            case "joined", "changed" -> {
                if (member.find()) {
                    members.put(member.group(1), member.group(2) + member.group(3));
                }
            }
            case "left" -> {
                if (member.find()) {
                    members.remove(member.group(1));
                }
            }
            default -> throw new AssertionError(data);
        }
        return event.group(1) + " " + member.group(1);
    }
}
