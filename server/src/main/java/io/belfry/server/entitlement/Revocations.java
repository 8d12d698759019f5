package io.belfry.server.entitlement;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that the application has revoked: those of a user, one by its id, or all that were issued before a time. An entry
 * ends at the time at which the last token that it concerns has expired. The number of entries is bounded. Any thread.
 */
public final class Revocations {
    /** Which tokens an entry concerns. */
    public enum Kind {
        /** Tokens of the user {@code name}. */
        USER,
        /** The token whose id has the digest {@code name}. */
        TOKEN,
        /** All tokens. */
        ALL
    }

    /**
     * An entry of the list. Immutable.
     *
     * @param name user, digest of a token's id in hexadecimal, or empty
     * @param issuedBeforeMillis concerns tokens issued before this time
     * @param untilMillis time from which on the entry has no effect, because the tokens have expired
     */
    public record Revocation(Kind kind, String name, long issuedBeforeMillis, long untilMillis) {
        /** Revokes the tokens of a user that were issued before a time. */
        public static Revocation ofUser(String user, long issuedBeforeMillis, long untilMillis) {
            return new Revocation(Kind.USER, user, issuedBeforeMillis, untilMillis);
        }

        /** Revokes the token with this id, whenever it was issued. */
        public static Revocation ofToken(String id, long untilMillis) {
            return new Revocation(Kind.TOKEN, Long.toHexString(digest(id)), Long.MAX_VALUE, untilMillis);
        }

        /** Revokes all tokens that were issued before a time. */
        public static Revocation ofAll(long issuedBeforeMillis, long untilMillis) {
            return new Revocation(Kind.ALL, "", issuedBeforeMillis, untilMillis);
        }

        private String key() {
            return kind + " " + name;
        }
    }

    /**
     * What identifies a token. Immutable.
     *
     * @param idDigest digest of the id, or 0 without one
     * @param issuedMillis time of the issue in ms since 1970; the least number if the token does not name it
     */
    record Token(@Nullable String user, long idDigest, long issuedMillis) {
        static Token of(@Nullable String user, @Nullable String id, @Nullable Long issuedMillis) {
            return new Token(user, id == null ? 0 : digest(id), issuedMillis == null ? Long.MIN_VALUE : issuedMillis);
        }
    }

    /** The entries by kind and name. Replaced as a whole, so that a reader needs no lock. */
    private record State(Map<String, Revocation> entries, int version) {}

    private final int entriesMax;
    private final LongSupplier nowMillis;
    private final @Nullable RevocationFile file;

    private volatile State state = new State(Map.of(), 0);

    private Revocations(int entriesMax, LongSupplier nowMillis, @Nullable RevocationFile file) {
        this.entriesMax = entriesMax;
        this.nowMillis = nowMillis;
        this.file = file;
    }

    /**
     * Creates the list, with the entries of a file if there is one; throws with the line that is wrong.
     *
     * @param nowMillis returns the time in milliseconds since 1970
     */
    public static Revocations open(int entriesMax, LongSupplier nowMillis, @Nullable RevocationFile file)
            throws IOException {
        Revocations list = new Revocations(entriesMax, nowMillis, file);
        if (file != null) {
            Map<String, Revocation> read = new TreeMap<>();
            file.read().forEach(each -> read.put(each.key(), each));
            list.replace(read);
        }
        return list;
    }

    /** Returns a number that changes with each change of the list. */
    int version() {
        return state.version();
    }

    /** Returns the time by which entries end, in ms since 1970. */
    public long nowMillis() {
        return nowMillis.getAsLong();
    }

    /** Returns the number of entries, without those that ended before the last change. */
    public int size() {
        return state.entries().size();
    }

    /**
     * Adds an entry, which replaces the one for the same tokens unless that concerns more of them. An entry that has ended already
     * removes the one for the same tokens. Returns false if the list is full.
     *
     * @throws IOException if the file cannot be written; the entry has effect until the server stops
     */
    public synchronized boolean add(Revocation entry) throws IOException {
        Map<String, Revocation> next = new TreeMap<>(state.entries());
        long now = nowMillis.getAsLong();
        next.values().removeIf(each -> each.untilMillis() <= now);
        Revocation present = next.remove(entry.key());
        if (entry.untilMillis() > now) {
            if (next.size() >= entriesMax) {
                return false;
            }
            next.put(entry.key(), present == null ? entry : joined(present, entry));
        }
        replace(next);
        if (file != null) {
            file.write(next.values());
        }
        return true;
    }

    private static Revocation joined(Revocation one, Revocation other) {
        return new Revocation(
                one.kind(),
                one.name(),
                Math.max(one.issuedBeforeMillis(), other.issuedBeforeMillis()),
                Math.max(one.untilMillis(), other.untilMillis()));
    }

    private void replace(Map<String, Revocation> next) {
        state = new State(Map.copyOf(next), state.version() + 1);
    }

    /** Returns whether an entry concerns the token. */
    boolean revokes(Token token) {
        Map<String, Revocation> present = state.entries();
        if (present.isEmpty()) {
            return false;
        }
        long now = nowMillis.getAsLong();
        return concerns(present.get(Kind.ALL + " "), token, now)
                || (token.user() != null && concerns(present.get(Kind.USER + " " + token.user()), token, now))
                || (token.idDigest() != 0
                        && concerns(present.get(Kind.TOKEN + " " + Long.toHexString(token.idDigest())), token, now));
    }

    private static boolean concerns(@Nullable Revocation entry, Token token, long now) {
        return entry != null && token.issuedMillis() < entry.issuedBeforeMillis() && now < entry.untilMillis();
    }

    /** Returns the first bytes of a digest: sessions of many tokens need little memory, and ids cannot be chosen to be equal. */
    private static long digest(String id) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return Math.max(1, ByteBuffer.wrap(digest).getLong() & Long.MAX_VALUE);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
