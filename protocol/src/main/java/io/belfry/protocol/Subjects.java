package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rules of subjects and patterns. A subject is UTF-8, begins with '/', has one or more non-empty segments, no
 * trailing '/', no control characters, no '*', and at most 255 bytes. In a pattern, a segment '*' matches one segment,
 * and a last segment '**' matches one or more. Segments that begin with '$' are reserved: clients do not publish to such
 * subjects, and wildcards do not match them. A subject whose first segment begins with '$' belongs to the server; clients
 * with the system permission subscribe to it by name. {@link ReplyInboxes} are an exception: clients publish to them. Pure.
 */
public final class Subjects {
    /** Maximum length of a subject, in bytes. */
    public static final int MAX_BYTES = 255;

    /** The only problem with a code of its own; see {@link #code}. */
    public static final String WILDCARD = "a pattern is not allowed here, only a plain subject";

    private static final String EMPTY = "a subject must not be empty";
    private static final String TOO_LONG = "a subject must have at most 255 bytes";
    private static final String NO_SLASH = "a subject must begin with '/'";
    private static final String EMPTY_SEGMENT = "a subject must not have an empty segment or end with '/'";
    private static final String CONTROL = "a subject must not have control characters";
    private static final String NOT_UTF8 = "a subject must be UTF-8";
    private static final String PART_WILDCARD = "'*' and '**' must be whole segments";
    private static final String EARLY_REST = "'**' must be the last segment";
    private static final String RESERVED = "segments that begin with '$' are reserved";
    private static final String NO_KEY =
            "an inbox is followed with its key: /$inbox/NAME/KEY, where NAME is computed from KEY";

    /** Prefix of the names of presence subjects; the subject follows it. */
    private static final byte[] PRESENCE = "/$presence".getBytes(StandardCharsets.UTF_8);

    private static final byte DELETE = 0x7f;

    private Subjects() {}

    /**
     * Returns the rule that a plain subject breaks, or null if the subject is valid. Allocates nothing for valid
     * subjects.
     */
    public static @Nullable String problem(ByteBuf buffer, int offset, int length) {
        return problem(buffer, offset, length, false, false);
    }

    /** Returns the rule that a subject or pattern breaks, or null if it is valid. */
    public static @Nullable String problem(byte[] bytes, int offset, int length, boolean patternAllowed) {
        return problem(bytes, offset, length, patternAllowed, false);
    }

    /**
     * Returns the rule that a subject or pattern breaks, or null if it is valid; {@code reservedAllowed} is true for
     * the server's own subjects.
     */
    public static @Nullable String problem(
            byte[] bytes, int offset, int length, boolean patternAllowed, boolean reservedAllowed) {
        return problem(Unpooled.wrappedBuffer(bytes), offset, length, patternAllowed, reservedAllowed);
    }

    /**
     * Returns the rule that the subject or pattern of a subscription breaks, or null if it is valid. A subscription may
     * name a subject of the server, but no pattern within the server's subjects.
     */
    public static @Nullable String subscriptionProblem(byte[] bytes, boolean patternAllowed) {
        boolean ofServer = isOfServer(bytes);
        return problem(bytes, 0, bytes.length, patternAllowed && !ofServer, ofServer);
    }

    /**
     * Returns the rule that the subject of a new subscription breaks, or null if it is valid: that of
     * {@link #subscriptionProblem}, and an inbox needs its key.
     */
    public static @Nullable String followProblem(byte[] bytes, boolean patternAllowed) {
        String problem = subscriptionProblem(bytes, patternAllowed);
        return problem == null && ReplyInboxes.needsKey(bytes) && ReplyInboxes.opened(bytes) == null ? NO_KEY : problem;
    }

    /** Returns what a valid subject of a new subscription names: the inbox without the key, or else the subject itself. */
    public static byte[] followed(byte[] subject) {
        byte[] inbox = ReplyInboxes.needsKey(subject) ? ReplyInboxes.opened(subject) : null;
        return inbox == null ? subject : inbox;
    }

    /** Returns the rule that the subject of a publish breaks, or null if it is valid: a plain subject, or an inbox. */
    public static @Nullable String publishProblem(ByteBuf buffer, int offset, int length) {
        String problem = problem(buffer, offset, length);
        return RESERVED.equals(problem) && ReplyInboxes.isInbox(buffer, offset, length) ? null : problem;
    }

    /** Returns whether the subject is one of the server: its first segment begins with '$'. */
    public static boolean isOfServer(byte[] subject) {
        return subject.length > 1 && subject[0] == '/' && subject[1] == '$';
    }

    /** Returns whether this is a presence subject: one of the server, on which the members of another subject are published. */
    public static boolean isPresence(byte[] subject) {
        return isPresence(subject, subject.length);
    }

    /** Returns whether the first {@code length} bytes are a presence subject. */
    public static boolean isPresence(byte[] subject, int length) {
        return length > PRESENCE.length + 1
                && subject[PRESENCE.length] == '/'
                && Arrays.equals(subject, 0, PRESENCE.length, PRESENCE, 0, PRESENCE.length);
    }

    /**
     * Returns the presence subject of a subject, or null if it has none: the server's own subjects have no members, and a presence
     * subject has at most {@link #MAX_BYTES} too.
     */
    public static byte @Nullable [] presenceOf(byte[] subject) {
        if (isOfServer(subject) || PRESENCE.length + subject.length > MAX_BYTES) {
            return null;
        }
        byte[] presence = Arrays.copyOf(PRESENCE, PRESENCE.length + subject.length);
        System.arraycopy(subject, 0, presence, PRESENCE.length, subject.length);
        return presence;
    }

    /** Returns the subject whose members a presence subject has. */
    public static byte[] ofPresence(byte[] presence) {
        return Arrays.copyOfRange(presence, PRESENCE.length, presence.length);
    }

    /** Returns the code of an error with this problem. */
    public static Code code(String problem) {
        return switch (problem) {
            case WILDCARD -> Code.WILDCARD_NOT_ALLOWED;
            case NO_KEY -> Code.SUBSCRIBE_DENIED;
            default -> Code.BAD_SUBJECT;
        };
    }

    static @Nullable String problem(
            ByteBuf buffer, int offset, int length, boolean patternAllowed, boolean reservedAllowed) {
        if (length == 0) {
            return EMPTY;
        }
        if (length > MAX_BYTES) {
            return TOO_LONG;
        }
        if (buffer.getByte(offset) != '/') {
            return NO_SLASH;
        }
        return bodyProblem(buffer, offset, offset + length, patternAllowed, reservedAllowed);
    }

    /** Scans the subject once. Bytes beyond ASCII are rare; they are checked in a second scan. */
    private static @Nullable String bodyProblem(
            ByteBuf buffer, int offset, int end, boolean patternAllowed, boolean reservedAllowed) {
        int all = 0;
        byte before = '/';
        for (int i = offset + 1; i < end; i++) {
            byte b = buffer.getByte(i);
            all |= b;
            if (b > '*') {
                if (b == '/' && before == '/') {
                    return EMPTY_SEGMENT;
                }
                if (b == DELETE) {
                    return CONTROL;
                }
            } else if (b >= 0) {
                String problem = markProblem(buffer, i, end, before, b, patternAllowed, reservedAllowed);
                if (problem != null) {
                    return problem;
                }
            }
            before = b;
        }
        if (before == '/') {
            return EMPTY_SEGMENT;
        }
        return all >= 0 ? null : charactersProblem(buffer, offset, end);
    }

    /** Checks the characters up to '*', which follows '$' and all control characters except one. */
    private static @Nullable String markProblem(
            ByteBuf buffer, int i, int end, byte before, byte b, boolean patternAllowed, boolean reservedAllowed) {
        if (b < ' ') {
            return CONTROL;
        }
        if (b == '$' && before == '/' && !reservedAllowed) {
            return RESERVED;
        }
        if (b != '*') {
            return null;
        }
        return patternAllowed ? starProblem(buffer, i, end, before) : WILDCARD;
    }

    private static @Nullable String starProblem(ByteBuf buffer, int i, int end, byte before) {
        boolean first = before == '/';
        boolean second = before == '*' && buffer.getByte(i - 2) == '/';
        byte after = i + 1 == end ? (byte) '/' : buffer.getByte(i + 1);
        if (second) {
            return after != '/' ? PART_WILDCARD : i + 1 == end ? null : EARLY_REST;
        }
        return first && (after == '/' || after == '*') ? null : PART_WILDCARD;
    }

    private static @Nullable String charactersProblem(ByteBuf buffer, int offset, int end) {
        if (!Utf8.valid(buffer, offset, end - offset)) {
            return NOT_UTF8;
        }
        for (int i = offset; i + 1 < end; i++) {
            // U+0080 to U+009F, the control characters beyond ASCII.
            if (buffer.getByte(i) == (byte) 0xc2 && buffer.getByte(i + 1) < (byte) 0xa0) {
                return CONTROL;
            }
        }
        return null;
    }

    /** Whether a valid subject or pattern is a pattern. */
    public static boolean isPattern(byte[] subject) {
        for (byte b : subject) {
            if (b == '*') {
                return true;
            }
        }
        return false;
    }

    /** Whether a valid pattern (or plain subject) matches a valid plain subject. */
    public static boolean matches(byte[] pattern, byte[] subject) {
        return matches(pattern, subject, subject.length);
    }

    /** Whether a valid pattern matches the valid plain subject in the first {@code length} bytes. Allocates nothing. */
    public static boolean matches(byte[] pattern, byte[] subject, int length) {
        int p = 1;
        int s = 1;
        while (p <= pattern.length && s <= length) {
            int patternEnd = segmentEnd(pattern, p);
            int subjectEnd = segmentEnd(subject, s, length);
            if (isRest(pattern, p, patternEnd)) {
                return noneReserved(subject, s, length);
            }
            if (!segmentMatches(pattern, p, patternEnd, subject, s, subjectEnd)) {
                return false;
            }
            p = patternEnd + 1;
            s = subjectEnd + 1;
        }
        return p > pattern.length && s > length;
    }

    /**
     * Whether a permission covers everything that a subject or pattern matches. Both are valid subjects or patterns; of
     * {@code wanted} only the first {@code length} bytes are used. Allocates nothing.
     */
    public static boolean covers(byte[] permission, byte[] wanted, int length) {
        int p = 1;
        int w = 1;
        while (p <= permission.length && w <= length) {
            int permissionEnd = segmentEnd(permission, p);
            int wantedEnd = segmentEnd(wanted, w, length);
            if (isRest(permission, p, permissionEnd)) {
                return noneReserved(wanted, w, length);
            }
            // Otherwise the '*' of a permission would match the two characters of a '**' as a name.
            if (isRest(wanted, w, wantedEnd) || !segmentMatches(permission, p, permissionEnd, wanted, w, wantedEnd)) {
                return false;
            }
            p = permissionEnd + 1;
            w = wantedEnd + 1;
        }
        return p > permission.length && w > length;
    }

    /** Whether some plain subject matches both. Both are valid subjects or patterns. Allocates nothing. */
    public static boolean overlap(byte[] one, byte[] other) {
        int p = 1;
        int q = 1;
        while (p <= one.length && q <= other.length) {
            int pEnd = segmentEnd(one, p);
            int qEnd = segmentEnd(other, q);
            if (isRest(one, p, pEnd)) {
                return noneReserved(other, q, other.length);
            }
            if (isRest(other, q, qEnd)) {
                return noneReserved(one, p, one.length);
            }
            if (!segmentMatches(one, p, pEnd, other, q, qEnd) && !segmentMatches(other, q, qEnd, one, p, pEnd)) {
                return false;
            }
            p = pEnd + 1;
            q = qEnd + 1;
        }
        return p > one.length && q > other.length;
    }

    private static int segmentEnd(byte[] bytes, int from) {
        return segmentEnd(bytes, from, bytes.length);
    }

    private static int segmentEnd(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && bytes[i] != '/') {
            i++;
        }
        return i;
    }

    private static boolean isRest(byte[] pattern, int from, int to) {
        return to - from == 2 && pattern[from] == '*' && pattern[from + 1] == '*';
    }

    private static boolean segmentMatches(byte[] pattern, int p, int pEnd, byte[] subject, int s, int sEnd) {
        if (pEnd - p == 1 && pattern[p] == '*') {
            return subject[s] != '$';
        }
        return Arrays.equals(pattern, p, pEnd, subject, s, sEnd);
    }

    private static boolean noneReserved(byte[] subject, int from, int end) {
        for (int i = from; i < end; i++) {
            if (subject[i] == '$' && subject[i - 1] == '/') {
                return false;
            }
        }
        return true;
    }
}
