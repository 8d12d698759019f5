package io.belfry.server.presence;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of one subject that its followers have, by the messages of the presence subject up to the latest one that this lane
 * has read. Owner: the lane that is the home of the presence subject.
 */
final class ShownRoom {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final Map<String, PresenceList.Entry> members = new LinkedHashMap<>();

    /** Members who left as this node has reported to the application, but whose message it has not read yet. */
    private final Set<String> leftReported = new HashSet<>();

    /** Whether a state was read; changes alone say nothing about the members before them. */
    private boolean whole;

    private boolean listed;
    private int users;
    private int sessions;
    private byte @Nullable [] state;

    /** A message as it was read. */
    private static final class Message {
        String event = "";
        String user = "";
        int users;
        int sessions;

        @Nullable
        String info;
    }

    boolean isWhole() {
        return whole;
    }

    /** Returns whether followers have an empty list. */
    boolean isEmpty() {
        return whole && listed && members.isEmpty();
    }

    boolean isListed() {
        return listed;
    }

    /** Returns the members that followers have; empty if they have counts only. */
    Map<String, PresenceList.Entry> members() {
        return members;
    }

    boolean isLeftReported(String user) {
        return leftReported.contains(user);
    }

    void setLeftReported(String user) {
        if (members.containsKey(user)) {
            leftReported.add(user);
        }
    }

    /** Applies a message. Throws if it is not one of a presence subject. */
    void apply(byte[] data) throws IOException {
        try (JsonParser parser = FACTORY.createParser(data)) {
            require(parser.nextToken() == JsonToken.START_OBJECT);
            Message message = new Message();
            read(parser, data, message);
            switch (message.event) {
                case "state", "counts" -> replace(message, data);
                case "joined", "changed" -> set(message);
                case "left" -> remove(message.user);
                default -> throw new IOException("unknown event");
            }
        }
    }

    private static void require(boolean expected) throws IOException {
        if (!expected) {
            throw new IOException("not a message of a presence subject");
        }
    }

    /** Reads an object, and adds the entries of a list to this room. The event is the first member. */
    private void read(JsonParser parser, byte[] data, Message message) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (name) {
                case "event" -> {
                    message.event = parser.getText();
                    if (message.event.equals("state") || message.event.equals("counts")) {
                        clear();
                    }
                }
                case "user" -> message.user = parser.getText();
                case "users" -> message.users = parser.getIntValue();
                case "sessions" -> message.sessions = parser.getIntValue();
                case "info" -> message.info = raw(parser, data);
                case "members" -> {
                    require(value == JsonToken.START_ARRAY && message.event.equals("state"));
                    readList(parser, data);
                }
                default -> parser.skipChildren();
            }
        }
    }

    private void readList(JsonParser parser, byte[] data) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            Message member = new Message();
            read(parser, data, member);
            put(member);
        }
    }

    /** Returns the text of the present value, as the message has it. */
    private static String raw(JsonParser parser, byte[] data) throws IOException {
        int start = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        int end = (int) parser.currentLocation().getByteOffset();
        return new String(Arrays.copyOfRange(data, start, end), StandardCharsets.UTF_8);
    }

    private void clear() {
        members.clear();
        leftReported.clear();
        sessions = 0;
    }

    private void replace(Message message, byte[] data) {
        whole = true;
        listed = message.event.equals("state");
        users = message.users;
        sessions = message.sessions;
        state = data;
    }

    private void set(Message message) {
        if (whole && listed) {
            put(message);
            state = null;
        }
    }

    private void put(Message member) {
        PresenceList.Entry before =
                members.put(member.user, new PresenceList.Entry(member.user, member.sessions, member.info));
        leftReported.remove(member.user);
        sessions += member.sessions - (before == null ? 0 : before.sessions());
    }

    private void remove(String user) {
        PresenceList.Entry before = members.remove(user);
        leftReported.remove(user);
        if (before != null) {
            sessions -= before.sessions();
            state = null;
        }
    }

    /** Returns the message that a new follower gets, or null if there is none. It is encoded once per change. */
    byte @Nullable [] state() {
        if (!whole || isEmpty()) {
            return null;
        }
        byte[] present = state;
        if (present == null) {
            present = listed ? PresenceText.state(sessions, members.values()) : PresenceText.counts(users, sessions);
            state = present;
        }
        return present;
    }

    /** Returns whether followers have the members of this room, or the number of them. */
    boolean shows(@Nullable PresenceRoom room) {
        if (!whole) {
            return false;
        }
        if (room == null) {
            return isEmpty();
        }
        if (listed != room.isListed() || sessions != room.sessions()) {
            return false;
        }
        return listed
                ? members.size() == room.users() && room.members().stream().allMatch(this::shows)
                : users == room.users();
    }

    private boolean shows(PresentUser user) {
        return new PresenceList.Entry(user.user(), user.sessions(), user.info()).equals(members.get(user.user()));
    }
}
