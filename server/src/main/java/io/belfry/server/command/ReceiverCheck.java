package io.belfry.server.command;

import io.belfry.server.callback.SignedPosts;
import io.belfry.server.callback.WebhookSecrets;
import io.belfry.server.config.DecideConfig;
import io.belfry.server.config.EventConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.config.SignatureConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

/**
 * Checks whether the addresses of the application answer a signed request that reports nothing and asks nothing: to an endpoint of
 * events a batch without events, to {@code Decide.Url} a question of the type {@code ping}. Owner: the caller's thread.
 */
final class ReceiverCheck {
    /** Maximum time for one address, so that a check ends although many addresses do not answer. */
    private static final long MILLIS_MAX = 5_000;

    private static final int ANSWER_BYTES = 1 << 20;
    private static final String NODE = "belfry-check";

    /**
     * The result for one address.
     *
     * @param sentence the key, the address, what happened, and the remedy of a failure
     */
    record Result(boolean well, String sentence) {}

    private final LongSupplier nowMillis;
    private final List<Result> results = new ArrayList<>();

    private ReceiverCheck(LongSupplier nowMillis) {
        this.nowMillis = nowMillis;
    }

    /** Sends one request to each address of the configuration, and returns the results in their order. */
    static List<Result> of(ServerConfig config, LongSupplier nowMillis) throws InterruptedException {
        ReceiverCheck check = new ReceiverCheck(nowMillis);
        if (config.events().isPresent()) {
            check.checkEvents(config.events().get());
        }
        if (config.entitlement().decide().isPresent()) {
            check.checkDecisions(config.entitlement().decide().get());
        }
        return check.results;
    }

    private void checkEvents(EventConfig events) throws InterruptedException {
        byte[] body = ("{\"type\":\"belfry.events\",\"timestamp\":\"" + Instant.ofEpochMilli(nowMillis.getAsLong())
                        + "\",\"node\":\"" + NODE + "\",\"run\":0,\"events\":[]}")
                .getBytes(StandardCharsets.UTF_8);
        List<Target> targets = events.endpoints().stream()
                .map(each -> new Target("Events.Endpoint." + each.name(), each.url()))
                .toList();
        check(targets, events.signature(), events.authorities(), body, events.answerMillis());
    }

    private void checkDecisions(DecideConfig decide) throws InterruptedException {
        byte[] body = ("{\"type\":\"ping\",\"node\":\"" + NODE + "\"}").getBytes(StandardCharsets.UTF_8);
        List<Target> targets =
                decide.urls().stream().map(url -> new Target("Decide.Url", url)).toList();
        check(targets, decide.signature(), decide.authorities(), body, decide.answerMillis());
    }

    /** An address and the key that has it. */
    private record Target(String key, URI url) {
        Result well(String what) {
            return new Result(true, key + ": " + url + " " + what);
        }

        Result bad(String what) {
            return new Result(false, key + ": " + url + " " + what);
        }
    }

    private void check(
            List<Target> targets, SignatureConfig signature, Optional<Path> authorities, byte[] body, long answerMillis)
            throws InterruptedException {
        if (targets.isEmpty()) {
            return;
        }
        try (SignedPosts posts =
                new SignedPosts(new WebhookSecrets(signature.read()), authorities, ANSWER_BYTES, nowMillis)) {
            for (Target each : targets) {
                results.add(post(posts, each, signature.key(), body, Math.min(answerMillis, MILLIS_MAX)));
            }
        } catch (IOException unreadable) {
            results.add(new Result(false, signature.key() + ": " + unreadable.getMessage()));
        }
    }

    private static Result post(SignedPosts posts, Target target, String secretKey, byte[] body, long millis)
            throws InterruptedException {
        long begin = System.nanoTime();
        try {
            int status = posts.post(target.url(), "msg_" + UUID.randomUUID(), body, millis)
                    .status();
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            return judge(target, secretKey, status, took);
        } catch (HttpTimeoutException late) {
            return target.bad("does not answer within " + millis + " ms; check the receiver and the network between");
        } catch (SSLException untrusted) {
            return target.bad("has no usable TLS: " + untrusted.getMessage()
                    + "; check its certificate, or set the Authorities key of this topic");
        } catch (ConnectException unreachable) {
            return target.bad(
                    isUnresolved(unreachable)
                            ? "cannot be reached: the host name has no address; correct the host"
                            : "cannot be reached: no connection is accepted; start the receiver, or correct the host and"
                                    + " port");
        } catch (IOException failed) {
            return target.bad("gave no usable answer: " + failed.getMessage());
        }
    }

    private static boolean isUnresolved(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UnresolvedAddressException) {
                return true;
            }
        }
        return false;
    }

    private static Result judge(Target target, String secretKey, int status, long millis) {
        String answer = "answers with status " + status;
        return switch (status) {
            case 401, 403 ->
                target.bad(answer + "; it refuses the signature: check that it has the secret of " + secretKey);
            case 404, 405, 410 -> target.bad(answer + "; correct the path of the URL");
            default ->
                // An application may refuse a request that has no event and no question that it knows.
                status < 300 || status == 400 || status == 422
                        ? target.well(answer + " in " + millis + " ms")
                        : target.bad(
                                status < 400
                                        ? answer + "; redirects are not followed: set the URL to which it points"
                                        : answer + "; check the log of the receiver");
        };
    }
}
