package io.belfry.server.console;

import io.belfry.server.monitor.Credentials;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The logins of this process, by the value of their cookie. They end with the process. Safe for any thread. */
final class Logins {
    /** Maximum number of logins. One more login ends the login that was unused for the longest time. */
    private static final int KEPT = 100;

    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(12);
    private static final long WRONG_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int RANDOM_BYTES = 24;

    /** The permissions of a user. */
    enum Role {
        /** Read everything. */
        LOOK,
        /** Also make changes. */
        ACT
    }

    private record Login(Role role, long usedNanos) {}

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Login> logins = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Long> wrongNanos = new LinkedHashMap<>(16, 0.75f, true);
    private final LongSupplier nanos;
    private final @Nullable Credentials look;
    private final @Nullable Credentials act;

    /** Creates the logins; without {@code look} no login is needed, and without {@code act} nobody may make changes. */
    Logins(@Nullable Credentials look, @Nullable Credentials act, LongSupplier nanos) {
        this.look = look;
        this.act = act;
        this.nanos = nanos;
    }

    boolean needed() {
        return look != null;
    }

    /** Returns whether a login can make changes. */
    boolean allowChanges() {
        return act != null;
    }

    /** Returns the role of this name and password, or empty if they are wrong. Counts a wrong password. */
    Optional<Role> check(String username, String password, String from) {
        // The password of the role ACT is first: it must not count as a wrong password of the role LOOK.
        if (act != null && act.matches(username, password)) {
            return Optional.of(Role.ACT);
        }
        return look != null && look.accept(username, password, from) ? Optional.of(Role.LOOK) : Optional.empty();
    }

    /** Returns whether this address may try a password. A wrong password blocks the address for one second. */
    synchronized boolean mayTry(String from) {
        Long wrong = wrongNanos.get(from);
        return wrong == null || nanos.getAsLong() - wrong > WRONG_NANOS;
    }

    synchronized void onWrong(String from) {
        wrongNanos.put(from, nanos.getAsLong());
        if (wrongNanos.size() > KEPT) {
            wrongNanos.remove(wrongNanos.keySet().iterator().next());
        }
    }

    /** Begins a login, and returns the value of its cookie. */
    synchronized String begin(Role role) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        logins.put(token, new Login(role, nanos.getAsLong()));
        if (logins.size() > KEPT) {
            logins.remove(logins.keySet().iterator().next());
        }
        return token;
    }

    synchronized Optional<Role> find(String token) {
        Login login = logins.get(token);
        if (login == null || nanos.getAsLong() - login.usedNanos() > IDLE_NANOS) {
            logins.remove(token);
            return Optional.empty();
        }
        logins.put(token, new Login(login.role(), nanos.getAsLong()));
        return Optional.of(login.role());
    }

    synchronized void end(String token) {
        logins.remove(token);
    }
}
