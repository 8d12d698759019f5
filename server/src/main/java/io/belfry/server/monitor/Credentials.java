package io.belfry.server.monitor;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the monitor's user name and password. Safe for any thread; never logs the password. */
public final class Credentials {
    private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);
    private static final long WARNING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final byte[] username;
    private final byte[] password;
    private final LongAdder denied = new LongAdder();
    private final AtomicLong nextWarningNanos = new AtomicLong(System.nanoTime());

    public Credentials(String username, String password) {
        this.username = username.getBytes(StandardCharsets.UTF_8);
        this.password = password.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether both values are correct; otherwise counts and logs a failed attempt from {@code from}. */
    public boolean accept(String givenUsername, String givenPassword, String from) {
        boolean correct = matches(givenUsername, givenPassword);
        if (!correct) {
            deny(from);
        }
        return correct;
    }

    /** Returns whether both values are correct, without counting. */
    public boolean matches(String givenUsername, String givenPassword) {
        // Always compare both values, in a time that does not depend on how many bytes are correct.
        boolean name = MessageDigest.isEqual(username, givenUsername.getBytes(StandardCharsets.UTF_8));
        boolean secret = MessageDigest.isEqual(password, givenPassword.getBytes(StandardCharsets.UTF_8));
        return name && secret;
    }

    /** Returns the number of attempts with a wrong name or password since the start. */
    long denied() {
        return denied.sum();
    }

    /** Counts a failed attempt. Logs at most once a minute, so that password guessing cannot fill the disk. */
    private void deny(String from) {
        denied.increment();
        long now = System.nanoTime();
        long next = nextWarningNanos.get();
        if (now - next >= 0 && nextWarningNanos.compareAndSet(next, now + WARNING_INTERVAL_NANOS)) {
            LOG.warn("wrong monitor username or password from {}; {} failed attempts since the start", from, denied());
        }
    }
}
