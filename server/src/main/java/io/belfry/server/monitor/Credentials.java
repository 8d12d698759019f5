package io.belfry.server.monitor;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one name and password of the monitor. Safe for any thread; never shows the password. */
final class Credentials {
    private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);
    private static final long WARNING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final byte[] username;
    private final byte[] password;
    private final LongAdder denied = new LongAdder();
    private final AtomicLong nextWarningNanos = new AtomicLong(System.nanoTime());

    Credentials(String username, String password) {
        this.username = username.getBytes(StandardCharsets.UTF_8);
        this.password = password.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether both are right; {@code from} is for the log where they are not. */
    boolean accept(String givenUsername, String givenPassword, String from) {
        // Both are always compared, each in a time that does not tell how much of it was right.
        boolean name = MessageDigest.isEqual(username, givenUsername.getBytes(StandardCharsets.UTF_8));
        boolean secret = MessageDigest.isEqual(password, givenPassword.getBytes(StandardCharsets.UTF_8));
        if (!name || !secret) {
            deny(from);
        }
        return name && secret;
    }

    /** Attempts with a wrong name or password since the start. */
    long denied() {
        return denied.sum();
    }

    /** Logged at most once a minute: whoever guesses passwords must not fill the disk too. */
    private void deny(String from) {
        denied.increment();
        long now = System.nanoTime();
        long next = nextWarningNanos.get();
        if (now - next >= 0 && nextWarningNanos.compareAndSet(next, now + WARNING_INTERVAL_NANOS)) {
            LOG.warn("Wrong monitor username or password from {}; {} such attempts so far", from, denied());
        }
    }
}
