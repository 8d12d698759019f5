package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.callback.Circuit;
import io.belfry.server.callback.Deadline;
import io.belfry.server.callback.SignedPosts;
import io.belfry.server.callback.WebhookSecrets;
import io.belfry.server.config.DecideConfig;
import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code Entitlement = Http}: the application decides, as it answers a signed POST. Any thread. A question waits on a virtual
 * thread; their number, the requests under way and the time are bounded. Whatever is not a valid answer in time is a refusal.
 */
final class HttpEntitlement implements Entitlement {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEntitlement.class);
    private static final Answer.Rejected OVERLOADED =
            new Answer.Rejected(Code.OVERLOADED, "too many questions to the application wait");
    private static final Answer.Rejected LATE =
            new Answer.Rejected(Code.DECIDE_TIMEOUT, "the application did not decide in time");
    private static final Answer.Rejected FAILED =
            new Answer.Rejected(Code.INTERNAL, "the application did not give a usable answer");
    private static final Answer.Rejected AWAY =
            new Answer.Rejected(Code.NOT_READY, "the application does not answer; retry later");
    private static final Answer.Rejected TOO_LONG = new Answer.Rejected("the token is too long");

    /** An address of the application, and whether it answers. */
    private record Receiver(URI url, Circuit circuit) {}

    /** The bounds of the questions of one kind, so that one kind does not delay the other. */
    private record Questions(Semaphore requests, AtomicInteger pending) {
        static Questions of(DecideConfig config) {
            return new Questions(new Semaphore(config.bounds().parallel(), true), new AtomicInteger());
        }
    }

    /** The functions that make the result for the caller from the body of an answer, or from a refusal. */
    private record Use<A>(Function<byte[], A> parsed, Function<Answer.Rejected, A> refused) {}

    private final EntitlementConfig config;
    private final DecideConfig decide;
    private final List<String> secrets;
    private final LongSupplier nowMillis;
    private final EntitlementEvents events;
    private final SignedPosts posts;
    private final List<Receiver> receivers;
    private final DecisionCache<String, Answer> cache;
    private final Questions clients;
    private final Questions commands;
    private final AtomicLong failures = new AtomicLong();

    private HttpEntitlement(
            EntitlementConfig config, List<String> secrets, LongSupplier nowMillis, EntitlementEvents events)
            throws IOException {
        this.config = config;
        this.secrets = secrets;
        this.nowMillis = nowMillis;
        this.events = events;
        decide = config.decide().orElseThrow();
        posts = new SignedPosts(
                new WebhookSecrets(secrets),
                decide.authorities(),
                decide.bounds().answerBytes(),
                nowMillis);
        long pauseNanos = TimeUnit.MILLISECONDS.toNanos(decide.pauseMillis());
        receivers = decide.urls().stream()
                .map(url -> new Receiver(url, new Circuit(pauseNanos)))
                .toList();
        cache = new DecisionCache<>(decide.bounds().cacheEntries());
        clients = Questions.of(decide);
        commands = Questions.of(decide);
    }

    static HttpEntitlement start(EntitlementConfig config, LongSupplier nowMillis, EntitlementEvents events)
            throws IOException {
        return new HttpEntitlement(
                config, config.decide().orElseThrow().signature().read(), nowMillis, events);
    }

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        String token = credentials.token();
        if (token != null && token.length() > JwtVerifier.TOKEN_CHARS_MAX) {
            answer.accept(TOO_LONG);
            return;
        }
        DecisionQuestion question = DecisionQuestion.of(credentials);
        String digest = question.digest();
        Answer known = cache.find(digest, nowMillis.getAsLong());
        if (known != null) {
            events.onCached();
            answer.accept(known);
        } else {
            Use<Answer> use = new Use<>(body -> remembered(DecisionReply.parse(body), digest), refusal -> refusal);
            begin(clients, question, use, answer);
        }
    }

    @Override
    public void decide(AskedCommand command, Consumer<CommandDecision> answer) {
        Use<CommandDecision> use = new Use<>(body -> CommandReply.parse(command.kind(), body), CommandDecision::of);
        begin(commands, DecisionQuestion.of(command), use, answer);
    }

    private <A> void begin(Questions of, DecisionQuestion question, Use<A> use, Consumer<A> answer) {
        if (of.pending.incrementAndGet()
                > decide.bounds().parallel() + decide.bounds().waiting()) {
            of.pending.decrementAndGet();
            events.onRefused();
            answer.accept(use.refused.apply(OVERLOADED));
            return;
        }
        Deadline deadline = Deadline.in(config.decideMillis());
        Thread.ofVirtual().name("belfry-decide").start(() -> {
            try {
                answer.accept(ask(of, question, use, deadline));
            } finally {
                of.pending.decrementAndGet();
            }
        });
    }

    private <A> A ask(Questions of, DecisionQuestion question, Use<A> use, Deadline deadline) {
        try {
            if (!of.requests.tryAcquire(deadline.leftMillis(), TimeUnit.MILLISECONDS)) {
                return use.refused.apply(LATE);
            }
            try {
                return askEach(question, use, deadline);
            } finally {
                of.requests.release();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return use.refused.apply(FAILED);
        } catch (RuntimeException | LinkageError | StackOverflowError failure) {
            LOG.error("a question to the application failed; it counts as a refusal", failure);
            return use.refused.apply(FAILED);
        }
    }

    /** Asks the addresses in their order until one gives a usable answer. */
    private <A> A askEach(DecisionQuestion question, Use<A> use, Deadline deadline) throws InterruptedException {
        String id = "msg_" + UUID.randomUUID();
        Answer.Rejected refusal = AWAY;
        for (Receiver receiver : receivers) {
            long leftMillis = deadline.leftMillis();
            if (leftMillis <= 0) {
                return use.refused.apply(LATE);
            }
            if (receiver.circuit().take()) {
                try {
                    return use.parsed.apply(post(receiver, id, question, Math.min(leftMillis, decide.answerMillis())));
                } catch (HttpTimeoutException late) {
                    refusal = LATE;
                    onFailure(receiver, String.valueOf(late.getMessage()));
                } catch (IOException | IllegalArgumentException failed) {
                    refusal = FAILED;
                    onFailure(receiver, String.valueOf(failed.getMessage()));
                }
            }
        }
        return use.refused.apply(refusal);
    }

    /** Sends one question. Any complete answer shows that the address is there; a wrong one is no reason for a pause. */
    private byte[] post(Receiver receiver, String id, DecisionQuestion question, long millis)
            throws IOException, InterruptedException {
        events.onRequest();
        SignedPosts.Answer answer;
        try {
            answer = posts.post(receiver.url(), id, question.body(), millis);
        } catch (IOException away) {
            if (receiver.circuit().onFailure()) {
                LOG.warn(
                        "the application does not answer: url={} error=\"{}\"; it is not asked for {} ms, and clients"
                                + " are refused with not-ready if no other address answers",
                        receiver.url(),
                        away.getMessage(),
                        decide.pauseMillis());
            }
            throw away;
        }
        receiver.circuit().onAnswer();
        if (answer.status() != 200) {
            throw new IOException("status " + answer.status());
        }
        return answer.body();
    }

    private Answer remembered(DecisionReply reply, String digest) {
        long millis = Math.min(reply.ttlMillis(), decide.bounds().cacheMillis());
        if (millis > 0) {
            cache.put(digest, reply.answer(), nowMillis.getAsLong() + millis);
        }
        return reply.answer();
    }

    /** Logs the first failure, then only when the number of failures has doubled. */
    private void onFailure(Receiver receiver, String error) {
        events.onRequestFailure();
        long count = failures.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.warn(
                    "decision of the application failed: url={} error=\"{}\" failures={}; the client is refused if no"
                            + " other address answers",
                    receiver.url(),
                    error,
                    count);
        }
    }

    /** Applies new settings to the next questions; cached answers are forgotten, and granted rights stay. */
    @Override
    public Entitlement reconfigured(EntitlementConfig next) throws IOException {
        DecideConfig nextDecide = next.decide().orElse(decide);
        if (nextDecide.equals(decide) && nextDecide.signature().read().equals(secrets)) {
            return this;
        }
        HttpEntitlement replacement = start(next, nowMillis, events);
        Thread.ofVirtual().name("belfry-decide-end").start(this::closeWhenIdle);
        return replacement;
    }

    /** Ends the connections after the pending questions, but no later than their time limit. */
    private void closeWhenIdle() {
        try {
            boolean idle = isIdle(clients) && isIdle(commands);
            LOG.debug("previous addresses of the application closed: idle={}", idle);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    private boolean isIdle(Questions of) throws InterruptedException {
        return of.requests.tryAcquire(decide.bounds().parallel(), config.decideMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        posts.close();
    }
}
