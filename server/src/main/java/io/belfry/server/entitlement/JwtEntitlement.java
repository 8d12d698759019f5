package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code Entitlement = JWT}: a token states its holder's permissions and expiry. Any thread.
 *
 * <p>An HMAC costs a hash and is verified on the caller's thread. Signatures of public keys cost many times that and would
 * stop a lane's deliveries, so other threads verify them; the number of waiting tokens is bounded.
 */
final class JwtEntitlement implements Entitlement {
    private static final Answer OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many tokens wait for verification");

    /** The parts that do not change with the configuration. */
    record Surroundings(
            KeyRing ring,
            ThreadPoolExecutor threads,
            LongSupplier nowMillis,
            Runnable onKeyFailure,
            @Nullable Revocations revocations) {
        static Surroundings of(
                EntitlementConfig config,
                LongSupplier nowMillis,
                Runnable onKeyFailure,
                @Nullable Revocations revocations) {
            int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    threads,
                    threads,
                    10,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(config.waitingMax()),
                    Thread.ofPlatform().daemon().name("belfry-token-", 0).factory());
            pool.allowCoreThreadTimeOut(true);
            return new Surroundings(new KeyRing(), pool, nowMillis, onKeyFailure, revocations);
        }
    }

    private final Surroundings surroundings;
    private final JwtVerifier verifier;
    private final KeyWatch watch;
    private final long tokenMillis;

    private JwtEntitlement(EntitlementConfig config, Surroundings surroundings) throws IOException {
        this.surroundings = surroundings;
        this.tokenMillis = config.tokenMillis();
        verifier = new JwtVerifier(surroundings.ring, config.jwt(), surroundings.nowMillis, surroundings.revocations);
        watch = new KeyWatch(surroundings.ring, config.jwt().keys(), surroundings.onKeyFailure);
        try {
            watch.start();
        } catch (IOException failure) {
            watch.close();
            throw failure;
        }
    }

    static JwtEntitlement start(
            EntitlementConfig config, LongSupplier nowMillis, Runnable onKeyFailure, @Nullable Revocations revocations)
            throws IOException {
        return new JwtEntitlement(config, Surroundings.of(config, nowMillis, onKeyFailure, revocations));
    }

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        String token = credentials.token();
        if (token == null) {
            long until = surroundings.nowMillis.getAsLong() + tokenMillis;
            answer.accept(new Answer.Accepted(new Stranger(until)));
        } else if (surroundings.ring.isCheap()) {
            verify(token, answer);
        } else {
            later(() -> verify(token, answer), answer);
        }
    }

    /** Verifies a token; if its key is unknown, waits for the next fetch, because the key may have been published since the last. */
    @SuppressWarnings("FutureReturnValueIgnored") // It only reports exceptions of the receiver of the answer.
    private void verify(String token, Consumer<Answer> answer) {
        Answer now = verifier.verify(token);
        CompletableFuture<Void> fetched =
                JwtVerifier.UNKNOWN_KEY.equals(now) ? watch.fetchUnknown(surroundings.nowMillis.getAsLong()) : null;
        if (fetched == null) {
            answer.accept(now);
        } else {
            fetched.whenComplete((done, failure) -> later(() -> answer.accept(verifier.verify(token)), answer));
        }
    }

    private void later(Runnable verification, Consumer<Answer> answer) {
        try {
            surroundings.threads.execute(verification);
        } catch (RejectedExecutionException full) {
            answer.accept(OVERLOADED);
        }
    }

    /** Applies new settings. Sessions whose key still exists continue; the others are closed. */
    @Override
    public Entitlement reconfigured(EntitlementConfig next) throws IOException {
        JwtEntitlement replacement = new JwtEntitlement(next, surroundings);
        watch.close();
        return replacement;
    }

    @Override
    public void close() {
        watch.close();
        surroundings.threads.shutdownNow();
    }
}
