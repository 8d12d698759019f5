package io.belfry.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules that commands must follow in every encoding. Each method passes a valid command to the handler and reports
 * an invalid one with its code. Each {@link CommandDecoder} calls these methods instead of the handler's, because the
 * server does not check the rules again. Pure.
 */
public final class CommandRules {
    static final String POSITION_RULE = "a position must be epoch:seq, two whole numbers up to 2^53";
    static final String PATTERN_POSITION_RULE = "a position of patterns must be 1 to " + PatternPosition.MAX_BYTES
            + " bytes that a server sent, in base64url";
    static final String ID_RULE = "an id must be from -2^53 to 2^53";
    /** The rule of the time to live of a message. */
    public static final String TTL_RULE = "ttl must be a whole number of ms from 0 to " + PublishRequest.TTL_MILLIS_MAX;

    static final String CLIENT_RULE = "client must have 1 to " + ConnectRequest.CLIENT_MAX_CHARS
            + " letters of ASCII, digits, dots, underscores and hyphens";

    /**
     * Maximum number of subjects in a command. Each subject gets an answer about forty times as long as the shortest
     * subject, so a longer list would let a client that does not read make the server hold megabytes for one frame.
     */
    static final int SUBJECTS_MAX = 1000;

    /** Stands for the ping interval of a connect without one; no decoder returns this number. */
    public static final long NO_PING = Long.MIN_VALUE;

    private CommandRules() {}

    /**
     * Checks a connect. {@code pingMillis} is the number that the client sent, or {@link #NO_PING}; {@code session} and {@code client} are
     * null if the client sent none.
     */
    public static void connect(
            long id,
            @Nullable String token,
            long pingMillis,
            @Nullable String session,
            List<SubjectPosition> received,
            @Nullable String client,
            CommandHandler handler) {
        if (pingMillis != NO_PING && (pingMillis < 1 || pingMillis > ConnectRequest.PING_MILLIS_MAX)) {
            handler.onBadCommand(
                    id,
                    Code.BAD_REQUEST,
                    "ping must be a whole number of ms from 1 to " + ConnectRequest.PING_MILLIS_MAX);
            return;
        }
        boolean nameIsValid = client == null || ConnectRequest.isClientName(client);
        String problem = nameIsValid ? sessionProblem(session, received) : CLIENT_RULE;
        if (problem != null) {
            handler.onBadCommand(id, Code.BAD_REQUEST, problem);
        } else if (arePlain(id, received, handler)) {
            KeptSession kept = session == null ? null : new KeptSession(session, received);
            handler.onConnect(id, new ConnectRequest(token, pingMillis == NO_PING ? 0 : pingMillis, kept, client));
        }
    }

    private static @Nullable String sessionProblem(@Nullable String session, List<SubjectPosition> received) {
        if (session != null && session.length() > KeptSession.ID_MAX_CHARS) {
            return "session must have at most " + KeptSession.ID_MAX_CHARS + " characters";
        }
        if (!received.isEmpty() && (session == null || session.isEmpty())) {
            return "positions require a session to continue";
        }
        return received.size() > SUBJECTS_MAX ? "a command may have at most " + SUBJECTS_MAX + " positions" : null;
    }

    private static boolean arePlain(long id, List<SubjectPosition> received, CommandHandler handler) {
        for (SubjectPosition each : received) {
            String problem = Subjects.subscriptionProblem(each.subject(), false);
            if (problem != null) {
                handler.onBadCommand(id, Subjects.code(problem), problem);
                return false;
            }
        }
        return true;
    }

    /** Checks a publish; {@code hasMsgId} is whether the command has a msgId. */
    public static void publish(PublishRequest request, boolean hasMsgId, CommandHandler handler) {
        String problem = Subjects.publishProblem(request.buffer(), request.subjectOffset(), request.subjectLength());
        if (problem != null) {
            handler.onBadCommand(request.id(), Subjects.code(problem), problem);
        } else if (request.retain()
                && ReplyInboxes.isInbox(request.buffer(), request.subjectOffset(), request.subjectLength())) {
            handler.onBadCommand(request.id(), Code.RETAIN_DENIED, "an inbox has no retained message");
        } else if (hasMsgId && !msgIdFits(request)) {
            handler.onBadCommand(request.id(), Code.BAD_REQUEST, "a msgId must have 1 to 64 bytes");
        } else if (request.ttlMillis() < 0 || request.ttlMillis() > PublishRequest.TTL_MILLIS_MAX) {
            handler.onBadCommand(request.id(), Code.BAD_REQUEST, TTL_RULE);
        } else if (request.originLength() > 0
                && !PublishOrigins.isKey(request.buffer(), request.originOffset(), request.originLength())) {
            handler.onBadCommand(request.id(), Code.BAD_REQUEST, PublishOrigins.RULE);
        } else if (request.headersLength() == 0) {
            handler.onPublish(request);
        } else {
            publishWithHeaders(request, handler);
        }
    }

    private static void publishWithHeaders(PublishRequest request, CommandHandler handler) {
        String problem = MessageHeaders.problem(request.buffer(), request.headersOffset(), request.headersLength());
        if (problem == null) {
            handler.onPublish(request);
        } else {
            handler.onBadCommand(request.id(), Code.BAD_HEADERS, problem);
        }
    }

    private static boolean msgIdFits(PublishRequest request) {
        return request.msgIdLength() >= 1 && request.msgIdLength() <= PublishRequest.MSG_ID_MAX_BYTES;
    }

    /** Checks a subscribe; its parameters are those of {@link SubscribeRequest}, as the client sent them. */
    public static void subscribe(
            long id,
            List<byte[]> subjects,
            @Nullable Position from,
            @Nullable PatternPosition patternFrom,
            long history,
            long conflateMillis,
            @Nullable String delta,
            CommandHandler handler) {
        if (history < 0 || history > Integer.MAX_VALUE) {
            handler.onBadCommand(id, Code.BAD_REQUEST, "history must be a whole number from 0 to 2147483647");
        } else if (conflateMillis < 0 || conflateMillis > SubscribeRequest.CONFLATE_MILLIS_MAX) {
            handler.onBadCommand(id, Code.BAD_REQUEST, "conflate must be a whole number of ms from 0 to 3600000");
        } else if ((from != null || patternFrom != null) && subjects.size() > 1) {
            handler.onBadCommand(
                    id, Code.BAD_REQUEST, "from requires a single subject, because each subject has its own positions");
        } else if (areReadable(id, subjects, from == null && history == 0, true, handler)) {
            if (patternFrom != null && !Subjects.isPattern(subjects.get(0))) {
                handler.onBadCommand(id, Code.BAD_POSITION, "from of a plain subject: " + POSITION_RULE);
                return;
            }
            // A format that this server does not know is as good as none: the confirmation says which one applies.
            boolean fossil = FossilDelta.NAME.equals(delta);
            handler.onSubscribe(
                    id,
                    new SubscribeRequest(
                            followed(subjects), from, patternFrom, (int) history, (int) conflateMillis, fossil));
        }
    }

    /** Checks an unsubscribe. */
    public static void unsubscribe(long id, List<byte[]> subjects, CommandHandler handler) {
        if (areReadable(id, subjects, true, false, handler)) {
            handler.onUnsubscribe(id, List.copyOf(subjects));
        }
    }

    /** Checks a watch, or an unwatch if {@code start} is false. */
    public static void watch(long id, byte[] subject, boolean start, CommandHandler handler) {
        String problem = Subjects.problem(subject, 0, subject.length, false);
        if (problem != null) {
            handler.onBadCommand(id, Subjects.code(problem), problem);
        } else if (start) {
            handler.onWatch(id, subject);
        } else {
            handler.onUnwatch(id, subject);
        }
    }

    private static List<byte[]> followed(List<byte[]> subjects) {
        return subjects.stream().anyMatch(ReplyInboxes::needsKey)
                ? subjects.stream().map(Subjects::followed).toList()
                : subjects;
    }

    private static boolean areReadable(
            long id, List<byte[]> subjects, boolean patternAllowed, boolean begins, CommandHandler handler) {
        if (subjects.isEmpty()) {
            handler.onBadCommand(id, Code.BAD_REQUEST, "a subject is missing");
            return false;
        }
        if (subjects.size() > SUBJECTS_MAX) {
            handler.onBadCommand(id, Code.BAD_REQUEST, "a command may have at most " + SUBJECTS_MAX + " subjects");
            return false;
        }
        for (byte[] subject : subjects) {
            String problem = begins
                    ? Subjects.followProblem(subject, patternAllowed)
                    : Subjects.subscriptionProblem(subject, patternAllowed);
            if (problem != null) {
                handler.onBadCommand(id, Subjects.code(problem), problem);
                return false;
            }
        }
        return true;
    }
}
