package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the current TLS context of the server, and runs the thread that checks its files and loads changed ones.
 * Files that cannot be used are logged and change nothing. Any thread; changes are guarded by this object.
 */
public final class Tls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private final TlsProvider provider;
    private final InstantSource clock;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("belfry-tls-files").daemon().factory());
    private final @Nullable ExecutorService handshakes;
    private TlsConfig config;
    private TlsFiles files;
    private Identity identity;
    private TlsContext context;
    private Consumer<TlsContext> listener = next -> {};
    private @Nullable String problemSeen;
    private boolean reported;

    private Tls(TlsConfig config, TlsProvider provider, InstantSource clock) throws TlsException {
        this.config = config;
        this.provider = provider;
        this.clock = clock;
        // The JDK's engines delegate long computations to this executor; BoringSSL computes within the call, which is
        // fast.
        handshakes = provider == TlsProvider.JDK ? handshakeThreads() : null;
        files = TlsFiles.read(config);
        identity = files.identity(clock.instant());
        context = contextOf(files, identity);
    }

    private static ExecutorService handshakeThreads() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().name("belfry-tls-", 0).daemon().factory());
    }

    /**
     * Loads the files, or throws with the unusable file and the reason; then checks the files for changes
     * periodically.
     */
    public static Tls open(TlsConfig config, InstantSource clock) throws TlsException {
        refuseRenegotiation();
        Tls tls = new Tls(config, TlsProvider.of(config.provider()), clock);
        tls.announce();
        tls.watch();
        return tls;
    }

    /**
     * Loads the files as {@link #open} does, without starting the server's TLS; returns warnings about usable files.
     */
    public static List<String> check(TlsConfig config, InstantSource clock) throws TlsException {
        try (Tls tls = new Tls(config, TlsProvider.of(config.provider()), clock)) {
            return tls.warnings();
        }
    }

    /**
     * Disables renegotiation. BoringSSL disables it by default. The JDK reads this system property once per process,
     * and a value set by the operator is kept.
     */
    private static void refuseRenegotiation() {
        String property = "jdk.tls.rejectClientInitiatedRenegotiation";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }

    private TlsContext contextOf(TlsFiles from, Identity checked) throws TlsException {
        Executor tasks = handshakes == null ? Runnable::run : handshakes;
        return TlsContext.of(from.config(), provider, checked, from.clientAuthorities(), tasks);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // It only reports exceptions, and look() throws none.
    private void watch() {
        long every = config.checkMillis();
        watch.scheduleWithFixedDelay(this::look, every, every, TimeUnit.MILLISECONDS);
    }

    private void announce() {
        LOG.info("TLS started: provider={}, certificate of {}", provider, identity);
        warnings().forEach(LOG::warn);
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (identity.expiresSoon(clock.instant())) {
            warnings.add("the certificate of " + identity + " expires soon; renew it");
        }
        files.exposure().ifPresent(warnings::add);
        return warnings;
    }

    /** Passes the current context, and later each replacement, to the listener, which retains the contexts it keeps. */
    public synchronized void follow(Consumer<TlsContext> newListener) {
        listener = newListener;
        newListener.accept(context);
    }

    /** Applies the keys that can change at run time, and checks the files at once. */
    public synchronized void reconfigure(TlsConfig next) {
        config = next;
        look();
        if (problemSeen != null) {
            report(problemSeen);
        }
    }

    private synchronized void look() {
        if (watch.isShutdown()) {
            return;
        }
        try {
            TlsFiles found = TlsFiles.read(config);
            if (!found.agreesWith(files)) {
                take(found);
            }
            problemSeen = null;
            reported = false;
        } catch (TlsException unusable) {
            onUnusable(String.valueOf(unusable.getMessage()));
        } catch (RuntimeException unexpected) {
            LOG.error("TLS files could not be checked; the current certificate stays in use", unexpected);
        }
    }

    private void take(TlsFiles found) throws TlsException {
        Identity next = found.identity(clock.instant());
        TlsContext replaced = context;
        context = contextOf(found, next);
        files = found;
        identity = next;
        listener.accept(context);
        replaced.release();
        announce();
    }

    /**
     * Logs a problem once it is seen in two consecutive checks. A certificate and its key are two files, and they do
     * not match while only one of them is replaced.
     */
    private void onUnusable(String problem) {
        if (!problem.equals(problemSeen)) {
            problemSeen = problem;
            reported = false;
        } else {
            report(problem);
        }
    }

    private void report(String problem) {
        if (!reported) {
            reported = true;
            LOG.warn("changed TLS files cannot be used; the current certificate of {} stays: {}", identity, problem);
        }
    }

    /** Returns the implementation in use. */
    public TlsProvider provider() {
        return provider;
    }

    /** Returns the time at which the current certificate expires. */
    public synchronized Instant expires() {
        return identity.expires();
    }

    /** Returns the provider, the certificate and any problem with the files, for the status. */
    public synchronized String describe() {
        String problem = Optional.ofNullable(problemSeen)
                .map(text -> "; changed files rejected: " + text)
                .orElse("");
        return "TLS: provider " + provider + ", certificate of " + identity + problem;
    }

    /** Stops checking the files; existing engines work until their connections end. */
    @Override
    public void close() {
        watch.shutdownNow();
        if (handshakes != null) {
            handshakes.shutdown();
        }
        synchronized (this) {
            listener = next -> {};
            context.release();
        }
    }
}
