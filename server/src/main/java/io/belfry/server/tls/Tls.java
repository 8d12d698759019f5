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
 * The server's TLS: the context in force, and the thread that looks at its files and takes what changed. What cannot be used
 * changes nothing and is logged. Any thread; changes are guarded by this object.
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
    private @Nullable String complaint;
    private boolean spokenOf;

    private Tls(TlsConfig config, TlsProvider provider, InstantSource clock) throws TlsException {
        this.config = config;
        this.provider = provider;
        this.clock = clock;
        // The JDK has its engines' arithmetic done elsewhere; BoringSSL does it within the call, and is quick.
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

    /** Reads the files, or fails saying which cannot be used and why; then looks at them again and again. */
    public static Tls open(TlsConfig config, InstantSource clock) throws TlsException {
        refuseRenegotiation();
        Tls tls = new Tls(config, TlsProvider.of(config.provider()), clock);
        tls.announce();
        tls.watch();
        return tls;
    }

    /** As {@link #open}, for somebody who only wants to know; answers what is not wrong but not well either. */
    public static List<String> check(TlsConfig config, InstantSource clock) throws TlsException {
        try (Tls tls = new Tls(config, TlsProvider.of(config.provider()), clock)) {
            return tls.warnings();
        }
    }

    /** BoringSSL refuses by itself; the JDK takes it from the process only, once, and what the operator set stays. */
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

    @SuppressWarnings("FutureReturnValueIgnored") // It would only tell of exceptions, and look() lets none out.
    private void watch() {
        long every = config.checkMillis();
        watch.scheduleWithFixedDelay(this::look, every, every, TimeUnit.MILLISECONDS);
    }

    private void announce() {
        LOG.info("TLS by {}: certificate of {}", provider, identity);
        warnings().forEach(LOG::warn);
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (identity.expiresSoon(clock.instant())) {
            warnings.add("the certificate of " + identity + " ends soon");
        }
        files.exposure().ifPresent(warnings::add);
        return warnings;
    }

    /** Tells {@code listener} of the context in force, now, and of each that takes its place; it retains what it keeps. */
    public synchronized void follow(Consumer<TlsContext> newListener) {
        listener = newListener;
        newListener.accept(context);
    }

    /** Takes over what can change at run time, and looks at the files at once. */
    public synchronized void reconfigure(TlsConfig next) {
        config = next;
        look();
        if (complaint != null) {
            speakOf(complaint);
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
            complaint = null;
            spokenOf = false;
        } catch (TlsException unusable) {
            complain(String.valueOf(unusable.getMessage()));
        } catch (RuntimeException unexpected) {
            LOG.error("the files of TLS could not be looked at", unexpected);
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
     * A certificate and its key are two files, and between the writing of both they do not fit. So only what is still so at
     * the second look is spoken of, and then once.
     */
    private void complain(String problem) {
        if (!problem.equals(complaint)) {
            complaint = problem;
            spokenOf = false;
        } else {
            speakOf(problem);
        }
    }

    private void speakOf(String problem) {
        if (!spokenOf) {
            spokenOf = true;
            LOG.warn("the certificate stays that of {}: {}", identity, problem);
        }
    }

    public TlsProvider provider() {
        return provider;
    }

    public synchronized Instant expires() {
        return identity.expires();
    }

    /** For the status: who encrypts, with whose certificate, and what is wrong with the files if something is. */
    public synchronized String describe() {
        String problem = Optional.ofNullable(complaint)
                .map(text -> "; not taken: " + text)
                .orElse("");
        return "TLS by " + provider + ", certificate of " + identity + problem;
    }

    /** Stops looking; engines live on for as long as their connections. */
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
