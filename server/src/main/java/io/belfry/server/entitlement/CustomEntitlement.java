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
 * {@code Entitlement = Custom}: somebody else's code decides. Any thread. It runs on virtual threads and may block them; how
 * many of its calls may be under way has a bound, and whoever asks sees to the time.
 */
final class CustomEntitlement implements Entitlement {
    private static final Logger LOG = LoggerFactory.getLogger(CustomEntitlement.class);
    private static final Answer OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many questions wait for the entitlement");
    private static final Answer FAILED = new Answer.Rejected(Code.INTERNAL, "the entitlement failed");

    private final EntitlementProvider provider;
    private final ProviderJars origin;
    private final EntitlementConfig config;
    private final Semaphore underWay;
    private final AtomicLong failures = new AtomicLong();

    /** What the provider has. Owner: who reloads, one at a time. */
    private Map<String, String> settings;

    private CustomEntitlement(EntitlementProvider provider, ProviderJars origin, EntitlementConfig config) {
        this.provider = provider;
        this.origin = origin;
        this.config = config;
        this.settings = config.custom();
        this.underWay = new Semaphore(config.waitingMax());
    }

    static CustomEntitlement start(EntitlementConfig config) throws IOException {
        ProviderJars jars = ProviderJars.open(config.folder());
        try {
            EntitlementProvider provider = jars.only();
            provider.start(settings(config));
            LOG.info("who may do what decides {}", provider.getClass().getName());
            return new CustomEntitlement(provider, jars, config);
        } catch (IOException failure) {
            jars.close();
            throw failure;
        } catch (Exception failure) {
            jars.close();
            throw new IOException("the entitlement does not start: " + failure.getMessage(), failure);
        }
    }

    /** By names in whatever case, as everywhere: those of the environment have lost theirs. */
    private static Map<String, String> settings(EntitlementConfig config) {
        Map<String, String> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        settings.putAll(config.custom());
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
            return new Answer.Accepted(new PatternPrincipal(grant.subscribe(), grant.publish(), until, null));
        } catch (IllegalArgumentException | ArithmeticException failure) {
            onFailure(failure);
            return FAILED;
        }
    }

    /** The first with its trace, then each time their number has doubled: a provider that is broken fails for everybody. */
    private void onFailure(Throwable failure) {
        long count = failures.incrementAndGet();
        if (count == 1) {
            LOG.error("the entitlement failed", failure);
        } else if (Long.bitCount(count) == 1) {
            LOG.error("the entitlement has failed {} times", count);
        }
    }

    /** A provider takes its new settings itself, or another of its kind is started with them. */
    @Override
    public Entitlement reconfigured(EntitlementConfig next) throws IOException {
        if (next.custom().equals(settings)) {
            return this;
        }
        boolean taken;
        try {
            taken = provider.reload(settings(next));
        } catch (Exception failure) {
            throw new IOException("the entitlement does not take its settings: " + failure.getMessage(), failure);
        }
        if (taken) {
            settings = next.custom();
            return this;
        }
        CustomEntitlement replacement = start(config.withCustom(next.custom()));
        Thread.ofVirtual().name("belfry-custom-end").start(this::closeWhenIdle);
        return replacement;
    }

    /** Who waits for an answer of it still gets one, for as long as clients wait for any. */
    private void closeWhenIdle() {
        try {
            if (!underWay.tryAcquire(config.waitingMax(), config.decideMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("the entitlement before ends with questions unanswered");
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
            LOG.warn("the entitlement does not stop in order", failure);
        }
    }
}
