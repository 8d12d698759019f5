package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.ID_MAX;
import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes commands in {@code belfry.json.v1}. Reads the whole object first, because its members may come in any order.
 * Owner: one loop, whose connections share the decoder.
 */
public final class JsonCommands implements CommandDecoder, JsonFrame.Members {
    private static final int ABSENT = -1;
    private static final String NO_SUBJECT = "a subject is missing";
    private static final String NO_DATA = "data or base64 is missing";
    private static final String ONE_SUBJECT_FIELD = "subject and subjects exclude each other";

    /** A command that each frame is, whose members op and id are then ignored. */
    private enum Implied {
        PUBLISH,
        BROADCAST
    }

    private final @Nullable Implied implied;
    private final JsonFrame json = new JsonFrame(BoundedJson.forCommands());
    private final PublishRequest publish = new PublishRequest();

    private @Nullable String op;
    private long id;
    private @Nullable String token;
    private @Nullable String session;
    private @Nullable String client;
    private List<SubjectPosition> received = List.of();
    private @Nullable List<byte[]> subjects;
    private int subjectOffset;
    private int subjectLength;
    private int dataOffset;
    private int dataLength;
    private int msgIdOffset;
    private int msgIdLength;
    private int headersOffset;
    private int headersLength;
    private int originOffset;
    private int originLength;
    private @Nullable Position from;
    private @Nullable PatternPosition patternFrom;
    private long history;
    private long conflateMillis;
    private @Nullable String delta;
    private long pingMillis;
    private boolean retain;
    private long ttlMillis;

    /** Creates a decoder of commands. */
    public JsonCommands() {
        this(null);
    }

    private JsonCommands(@Nullable Implied implied) {
        this.implied = implied;
    }

    /** Returns a decoder of objects that each publish one message; its publishes have no id. */
    public static JsonCommands ofPublishes() {
        return new JsonCommands(Implied.PUBLISH);
    }

    /**
     * Returns a decoder of objects that each publish one message to several {@code subjects}. The id of a publish is the index of its
     * subject; a fault of the whole object has the id {@code NO_ID}.
     */
    public static JsonCommands ofBroadcasts() {
        return new JsonCommands(Implied.BROADCAST);
    }

    @Override
    public void decode(ByteBuf frame, int offset, int length, CommandHandler handler) {
        reset();
        json.read(frame, offset, length, this);
        Code problem = json.problemCode();
        if (problem == null) {
            dispatch(handler);
        } else {
            handler.onBadCommand(json.isObject() ? id : NO_ID, problem, json.problem());
        }
    }

    private void reset() {
        op = null;
        id = NO_ID;
        token = null;
        session = null;
        client = null;
        received = List.of();
        subjects = null;
        subjectOffset = ABSENT;
        dataOffset = ABSENT;
        msgIdOffset = ABSENT;
        headersLength = 0;
        originLength = 0;
        from = null;
        patternFrom = null;
        history = 0;
        conflateMillis = 0;
        delta = null;
        pingMillis = CommandRules.NO_PING;
        retain = false;
        ttlMillis = 0;
    }

    /** Called by {@link JsonFrame} for each member. */
    @Override
    public void member(String name, JsonFrame in) throws IOException {
        switch (name) {
            case "op" -> op = implied == null ? in.string(name) : null;
            case "id" -> id = implied == null ? id(in) : NO_ID;
            case "subject" -> subject(in);
            case "subjects" -> subjects(in);
            case "data", "base64" -> data(name, in);
            case "msgId" -> msgId(in);
            case "headers" -> headers(in);
            case "retain" -> retain = in.flag(name);
            case "ttl" -> ttlMillis = in.whole(name);
            case "origin" -> origin(in);
            case "token" -> token = in.string(name);
            case "session" -> session = in.string(name);
            case "positions" -> positions(in);
            case "client" -> client = in.string(name);
            case "from" -> from(in);
            case "history" -> history = in.whole(name);
            case "conflate" -> conflateMillis = in.whole(name);
            case "delta" -> delta = in.string(name);
            case "ping" -> pingMillis = in.whole(name);
            default -> {
                // Unknown members belong to a later version or to the client, and are ignored.
            }
        }
    }

    private static long id(JsonFrame in) throws IOException {
        long id = in.whole("id");
        if (id < -ID_MAX || id > ID_MAX) {
            in.problem(Code.BAD_REQUEST, CommandRules.ID_RULE);
            return NO_ID;
        }
        return id;
    }

    private void subject(JsonFrame in) throws IOException {
        if (subjects != null) {
            in.problem(Code.BAD_REQUEST, ONE_SUBJECT_FIELD);
        }
        subjectOffset = in.textsEnd();
        subjectLength = in.text("subject");
    }

    private void subjects(JsonFrame in) throws IOException {
        if (subjectOffset != ABSENT) {
            in.problem(Code.BAD_REQUEST, ONE_SUBJECT_FIELD);
        }
        if (!in.startsArray("subjects")) {
            return;
        }
        List<byte[]> list = new ArrayList<>();
        while (in.nextElement()) {
            byte[] subject = in.textBytes("subjects");
            if (list.size() <= CommandRules.SUBJECTS_MAX) {
                list.add(subject);
            }
        }
        subjects = list;
    }

    private void positions(JsonFrame in) throws IOException {
        if (!in.startsArray("positions")) {
            return;
        }
        List<SubjectPosition> list = new ArrayList<>();
        while (in.nextElement()) {
            byte[] subject = in.textBytes("positions");
            if (!in.nextElement()) {
                in.problem(Code.BAD_REQUEST, "positions must be subjects, each followed by its position");
                return;
            }
            Position at = in.position("positions");
            if (at != null && list.size() <= CommandRules.SUBJECTS_MAX) {
                list.add(new SubjectPosition(subject, at));
            }
        }
        received = list;
    }

    /** Reads a position of either kind. A position of patterns has no colon. */
    private void from(JsonFrame in) throws IOException {
        String text = in.string("from");
        if (text == null) {
            return;
        }
        from = Position.parse(text);
        patternFrom = from == null ? PatternPosition.parse(text) : null;
        if (from == null && patternFrom == null) {
            in.problem(Code.BAD_POSITION, "from: " + CommandRules.POSITION_RULE);
        }
    }

    private void data(String name, JsonFrame in) throws IOException {
        if (dataOffset != ABSENT) {
            in.problem(Code.BAD_REQUEST, "data and base64 exclude each other");
        }
        dataOffset = in.textsEnd();
        dataLength = name.equals("data") ? in.text(name) : in.base64(name);
    }

    private void msgId(JsonFrame in) throws IOException {
        msgIdOffset = in.textsEnd();
        msgIdLength = in.text("msgId");
    }

    private void headers(JsonFrame in) throws IOException {
        headersOffset = in.textsEnd();
        headersLength = in.headers("headers");
    }

    private void origin(JsonFrame in) throws IOException {
        originOffset = in.textsEnd();
        originLength = in.text("origin");
    }

    private void dispatch(CommandHandler handler) {
        if (implied == Implied.BROADCAST) {
            broadcast(handler);
            return;
        }
        if (implied == Implied.PUBLISH) {
            publish(id, subjectOffset, subjectLength, handler);
            return;
        }
        if (op == null) {
            handler.onBadCommand(id, Code.BAD_REQUEST, "op is missing");
            return;
        }
        switch (op) {
            case "publish" -> publish(id, subjectOffset, subjectLength, handler);
            case "subscribe" ->
                CommandRules.subscribe(id, listed(), from, patternFrom, history, conflateMillis, delta, handler);
            case "unsubscribe" -> CommandRules.unsubscribe(id, listed(), handler);
            case "ping" -> handler.onPing(id);
            case "connect" ->
                CommandRules.connect(
                        id,
                        token == null || token.isEmpty() ? null : token,
                        pingMillis,
                        session,
                        received,
                        client,
                        handler);
            case "watch" -> watch(true, handler);
            case "unwatch" -> watch(false, handler);
            default -> handler.onBadCommand(id, Code.UNKNOWN_OP, "unknown op " + JsonFrame.shortened(op));
        }
    }

    private void publish(long answerId, int offset, int length, CommandHandler handler) {
        if (offset == ABSENT || dataOffset == ABSENT) {
            handler.onBadCommand(answerId, Code.BAD_REQUEST, offset == ABSENT ? NO_SUBJECT : NO_DATA);
            return;
        }
        publish.start(answerId, json.texts(), retain)
                .subject(offset, length)
                .data(dataOffset, dataLength)
                .headers(headersOffset, headersLength)
                .origin(originOffset, originLength)
                .ttl(ttlMillis);
        if (msgIdOffset != ABSENT) {
            publish.msgId(msgIdOffset, msgIdLength);
        }
        CommandRules.publish(publish, msgIdOffset != ABSENT, handler);
    }

    private void broadcast(CommandHandler handler) {
        List<byte[]> listed = listed();
        if (listed.isEmpty() || dataOffset == ABSENT) {
            handler.onBadCommand(NO_ID, Code.BAD_REQUEST, listed.isEmpty() ? NO_SUBJECT : NO_DATA);
        } else if (listed.size() > CommandRules.SUBJECTS_MAX) {
            handler.onBadCommand(
                    NO_ID, Code.BAD_REQUEST, "a broadcast may have at most " + CommandRules.SUBJECTS_MAX + " subjects");
        } else {
            for (int i = 0; i < listed.size(); i++) {
                int offset = json.textsEnd();
                json.texts().writeBytes(listed.get(i));
                publish(i, offset, listed.get(i).length, handler);
            }
        }
    }

    private void watch(boolean start, CommandHandler handler) {
        if (subjectOffset == ABSENT) {
            handler.onBadCommand(id, Code.BAD_REQUEST, NO_SUBJECT);
        } else {
            CommandRules.watch(id, subject(), start, handler);
        }
    }

    private List<byte[]> listed() {
        if (subjects != null) {
            return subjects;
        }
        return subjectOffset == ABSENT ? List.of() : List.of(subject());
    }

    private byte[] subject() {
        byte[] subject = new byte[subjectLength];
        json.texts().getBytes(subjectOffset, subject);
        return subject;
    }
}
