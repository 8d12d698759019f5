package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.spi.entitlement.EntitlementProvider;
import io.belfry.spi.entitlement.Grant;
import io.belfry.spi.entitlement.Question;
import io.belfry.spi.entitlement.Reply;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code Entitlement = Custom}: a user's provider decides. Any thread. The provider runs on virtual threads and may block
 * them; the number of its pending calls is bounded, and the caller enforces the time limit.
 */
final class CustomEntitlement implements Entitlement {
    private static final Logger LOG = LoggerFactory.getLogger(CustomEntitlement.class);
    private static final Answer OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many requests wait for the entitlement provider");
    private static final Answer FAILED = new Answer.Rejected(Code.INTERNAL, "the entitlement provider failed");

    private final EntitlementProvider provider;
    private final ProviderJars origin;
    private final EntitlementConfig config;
    private final Semaphore underWay;
    private final AtomicLong failures = new AtomicLong();

    /** The provider's present settings. Owner: the thread that reloads, one at a time. */
    private Map<String, String> settings;

    private CustomEntitlement(EntitlementProvider provider, ProviderJars origin, EntitlementConfig config) {
        this.provider = provider;
        this.origin = origin;
        this.config = config;
        this.settings = config.custom().settings();
        this.underWay = new Semaphore(config.waitingMax());
    }

    static CustomEntitlement start(EntitlementConfig config) throws IOException {
        ProviderJars jars = ProviderJars.open(config.custom().folder());
        try {
            EntitlementProvider provider = jars.only();
            provider.start(settings(config));
            LOG.info("entitlement provider: {}", provider.getClass().getName());
            return new CustomEntitlement(provider, jars, config);
        } catch (IOException failure) {
            jars.close();
            throw failure;
        } catch (Exception failure) {
            jars.close();
            throw new IOException("the entitlement provider did not start: " + failure.getMessage(), failure);
        }
    }

    /** Returns the settings by names without regard to case, because names from the environment are in upper case. */
    private static Map<String, String> settings(EntitlementConfig config) {
        Map<String, String> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        settings.putAll(config.custom().settings());
        return Collections.unmodifiableMap(settings);
    }

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        if (!underWay.tryAcquire()) {
            answer.accept(OVERLOADED);
            return;
        }
        Question question = new Question(
                Optional.ofNullable(credentials.token()),
                credentials.loopback(),
                Optional.ofNullable(credentials.certificate()));
        Thread.ofVirtual().name("belfry-custom").start(() -> ask(question, answer));
    }

    private void ask(Question question, Consumer<Answer> answer) {
        try {
            provider.decide(question, replyTo(answer));
        } catch (Exception | LinkageError | StackOverflowError failure) {
            onFailure(failure);
            answer.accept(FAILED);
        } finally {
            underWay.release();
        }
    }

    private Reply replyTo(Consumer<Answer> answer) {
        return new Reply() {
            @Override
            public void allow(Grant grant) {
                answer.accept(accepted(grant));
            }

            @Override
            public void refuse(String reason) {
                answer.accept(new Answer.Rejected(reason));
            }
        };
    }

    private Answer accepted(Grant grant) {
        try {
            long until = grant.expires().map(Instant::toEpochMilli).orElse(Principal.NEVER);
            return new Answer.Accepted(new PatternPrincipal(
                    grant.subscribe(),
                    grant.publish(),
                    grant.system(),
                    until,
                    null,
                    grant.user().orElse(null)));
        } catch (IllegalArgumentException | ArithmeticException failure) {
            onFailure(failure);
            return FAILED;
        }
    }

    /** Logs the first failure with its stack trace, then only when the number of failures has doubled. */
    private void onFailure(Throwable failure) {
        long count = failures.incrementAndGet();
        if (count == 1) {
            LOG.error("the entitlement provider failed", failure);
        } else if (Long.bitCount(count) == 1) {
            LOG.error("entitlement provider failures so far: {}", count);
        }
    }

    /** Passes new settings to the provider, or starts another provider of the same class with them. */
    @Override
    public Entitlement reconfigured(EntitlementConfig next) throws IOException {
        if (next.custom().settings().equals(settings)) {
            return this;
        }
        boolean taken;
        try {
            taken = provider.reload(settings(next));
        } catch (Exception failure) {
            throw new IOException("the entitlement provider rejects its settings: " + failure.getMessage(), failure);
        }
        if (taken) {
            settings = next.custom().settings();
            return this;
        }
        CustomEntitlement replacement = start(config.withCustom(next.custom().settings()));
        Thread.ofVirtual().name("belfry-custom-end").start(this::closeWhenIdle);
        return replacement;
    }

    /** Closes the provider after its pending requests are answered, but no later than their time limit. */
    private void closeWhenIdle() {
        try {
            if (!underWay.tryAcquire(config.waitingMax(), config.decideMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("previous entitlement provider stopped with requests pending");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    @Override
    public void close() {
        try {
            provider.close();
            origin.close();
        } catch (IOException | RuntimeException failure) {
            LOG.warn("entitlement provider failed to stop", failure);
        }
    }
}
