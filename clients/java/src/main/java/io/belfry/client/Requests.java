package io.belfry.client;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.Position;
import io.belfry.protocol.ReplyInboxes;
import io.belfry.protocol.Subjects;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests and replies of one {@link BelfryClient}. A request names an inbox that only this client follows; the reply is published
 * to it. All requests share one inbox. The client subscribes to it with the first request and keeps the subscription, so replies
 * that arrive during a disconnect are received later. Any thread may call the methods.
 */
public final class Requests {
    /** Maximum number of requests that wait for replies. */
    private static final int WAITING_MAX = 10_000;

    private static final int KEY_BYTES = 24;

    /** Random bytes that relate a reply to its request, so many that a responder cannot guess those of other requests. */
    private static final int ID_BYTES = 12;

    private final BelfryClient client;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, CompletableFuture<Message>> waiting = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** The subscription to the inbox; null before the first request, and after the server refused or ended it. */
    private @Nullable Subscription inbox;

    /** Creates the requests of a client. A client needs one object only; each has an inbox of its own. */
    public Requests(BelfryClient client) {
        this.client = client;
    }

    /** Sends a text as UTF-8 with default options; see {@link #request(String, byte[], RequestOptions)}. */
    public CompletableFuture<Message> request(String subject, String text) {
        return request(subject, text.getBytes(StandardCharsets.UTF_8), RequestOptions.DEFAULT);
    }

    /**
     * Publishes a request. The future completes with the first reply. It fails with a {@link PublishException} if the request was
     * not published, or with the code {@code no-reply} if no reply arrives in time: then a responder may have processed the
     * request. It fails with a {@link SubscribeException} if the server refuses the inbox. Cancelling the future ends the wait.
     *
     * <p>The future completes where listeners are called. A listener must not wait for it.
     *
     * @throws IllegalArgumentException if the subject is invalid
     * @throws IllegalStateException if the client was closed
     */
    public CompletableFuture<Message> request(String subject, byte[] data, RequestOptions with) {
        byte[] name = subject.getBytes(StandardCharsets.UTF_8);
        String problem = Subjects.publishProblem(Unpooled.wrappedBuffer(name), 0, name.length);
        if (problem != null) {
            throw new IllegalArgumentException(problem + ": " + subject);
        }
        Subscription replies = inbox();
        if (waiting.size() >= WAITING_MAX) {
            return CompletableFuture.failedFuture(new PublishException(
                    PublishException.Kind.TOO_MANY_PENDING,
                    "",
                    "more than " + WAITING_MAX + " requests wait for replies"));
        }
        String id = randomText(ID_BYTES);
        PublishOptions terms = PublishOptions.headers(headers(with.headers(), replies.subject(), id))
                .withTtl(with.timeout());
        byte[] copy = data.clone();
        CompletableFuture<Message> reply = new CompletableFuture<>();
        waiting.put(id, reply);
        reply.whenComplete((message, failure) -> waiting.remove(id));
        client.runAfter(with.timeout(), () -> expire(id, subject, with));
        if (replies.over().isDone()) {
            fail(id, replies.over().join());
        }
        // A reply cannot arrive before the inbox exists.
        replies.ready().thenRun(() -> send(id, subject, copy, terms));
        return reply;
    }

    private static Map<String, String> headers(Map<String, String> others, String replyTo, String id) {
        Map<String, String> all = new LinkedHashMap<>(others);
        all.put(MessageHeaders.REPLY_TO, replyTo);
        all.put(MessageHeaders.CORRELATION_ID, id);
        return all;
    }

    private void send(String id, String subject, byte[] data, PublishOptions terms) {
        if (waiting.containsKey(id)) {
            client.publish(subject, data, terms).whenComplete((at, failure) -> {
                if (failure != null) {
                    fail(id, failure);
                }
            });
        }
    }

    private void expire(String id, String subject, RequestOptions with) {
        fail(
                id,
                new PublishException(
                        PublishException.Kind.TIMED_OUT,
                        "no-reply",
                        "no reply to " + subject + " within " + with.timeout().toMillis() + " ms"));
    }

    private void fail(String id, Throwable why) {
        CompletableFuture<Message> request = waiting.get(id);
        if (request != null) {
            request.completeExceptionally(why);
        }
    }

    /** Returns the subscription to the inbox, and begins it if there is none. */
    private Subscription inbox() {
        synchronized (lock) {
            Subscription present = inbox;
            if (present == null || present.over().isDone()) {
                String key = randomText(KEY_BYTES);
                present = client.subscribe(ReplyInboxes.of(key) + "/" + key, this::onReply);
                present.over().thenAccept(why -> waiting.keySet().forEach(id -> fail(id, why)));
                inbox = present;
            }
            return present;
        }
    }

    private void onReply(Message message) {
        String id = message.header(MessageHeaders.CORRELATION_ID);
        CompletableFuture<Message> request = id == null ? null : waiting.get(id);
        if (request != null) {
            request.complete(message);
        }
    }

    private String randomText(int bytes) {
        byte[] chosen = new byte[bytes];
        random.nextBytes(chosen);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(chosen);
    }

    /** Replies with a text as UTF-8; see {@link #reply(Message, byte[], PublishOptions)}. */
    public CompletableFuture<Position> reply(Message request, String text) {
        return reply(request, text.getBytes(StandardCharsets.UTF_8), PublishOptions.DEFAULT);
    }

    /**
     * Publishes the reply to a request that the client received. The future is that of {@link BelfryClient#publish}; the code
     * {@code no-inbox} means that the client of the request has ended.
     *
     * @throws IllegalArgumentException if the message asks for no reply
     */
    public CompletableFuture<Position> reply(Message request, byte[] data, PublishOptions with) {
        String to = request.header(MessageHeaders.REPLY_TO);
        byte[] subject = to == null ? new byte[0] : to.getBytes(StandardCharsets.UTF_8);
        if (to == null || !ReplyInboxes.isInbox(subject, subject.length)) {
            // Otherwise a requester could make the program publish where only the program may.
            throw new IllegalArgumentException("the message asks for no reply: its header replyTo names no inbox");
        }
        String id = request.header(MessageHeaders.CORRELATION_ID);
        if (id == null) {
            return client.publish(to, data, with);
        }
        Map<String, String> headers = new LinkedHashMap<>(with.headers());
        headers.put(MessageHeaders.CORRELATION_ID, id);
        return client.publish(to, data, with.withHeaders(headers));
    }
}
