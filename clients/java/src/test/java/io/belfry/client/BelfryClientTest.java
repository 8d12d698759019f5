package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the whole client against a server that misbehaves as scripted. */
class BelfryClientTest {
    private static final String CONNECTED =
            "{\"op\":\"connected\",\"id\":-1,\"session\":\"s\",\"node\":\"n\",\"ping\":100}";
    private static final String SUBSCRIBED =
            "{\"op\":\"subscribed\",\"subject\":\"/a\",\"epoch\":7,\"seq\":1,\"recovery\":\"none\"}";

    private final BlockingQueue<Status> statuses = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init") // Set by each test first.
    private ScriptedServer server;

    @SuppressWarnings("NullAway.Init")
    private BelfryClient client;

    private BelfryClient.Builder to(IntFunction<List<String>> script) {
        server = new ScriptedServer(script);
        return builder().server(server.url());
    }

    private BelfryClient.Builder builder() {
        return BelfryClient.builder()
                .encoding(Encoding.JSON)
                .reconnect(new ReconnectPolicy(
                        0, Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(20), Duration.ZERO, Duration.ZERO))
                .listener(statuses::add);
    }

    private BelfryClient start(BelfryClient.Builder builder) {
        client = builder.build().start();
        return client;
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private Status next(Predicate<Status> wanted) throws InterruptedException {
        for (Status status = statuses.poll(20, TimeUnit.SECONDS);
                status != null;
                status = statuses.poll(20, TimeUnit.SECONDS)) {
            if (wanted.test(status)) {
                return status;
            }
        }
        throw new AssertionError("no such status within 20 s");
    }

    private static String message(int seq) {
        return "{\"op\":\"message\",\"subject\":\"/a\",\"data\":\"" + seq + "\",\"epoch\":7,\"seq\":" + seq
                + ",\"time\":1}";
    }

    @Test
    void aSilentServerIsDisconnected() throws Exception {
        start(to(number -> List.of(CONNECTED)));
        Status.Disconnected gone = (Status.Disconnected) next(Status.Disconnected.class::isInstance);
        assertThat(gone.code()).isEqualTo("timed-out");
        assertThat(gone.reason()).startsWith("the server sent nothing for ");
        next(Status.Connecting.class::isInstance);
    }

    @Test
    void aConnectRejectedForARateEndsTheAttemptAtOnce() throws Exception {
        String rejected = "{\"op\":\"error\",\"id\":-1,\"code\":\"token-rate\",\"reason\":\"many\",\"after\":80}";
        start(to(number -> List.of(number == 0 ? rejected : CONNECTED)).connectTimeout(Duration.ofHours(1)));
        Status.Disconnected gone = (Status.Disconnected) next(Status.Disconnected.class::isInstance);
        assertThat(gone.code()).isEqualTo("token-rate");
        assertThat(gone.retryIn()).isBetween(Duration.ofMillis(80), Duration.ofMillis(100));
        next(Status.Connected.class::isInstance);
    }

    @Test
    void aCheckReconnectsAClientThatWaits() throws Exception {
        Duration hour = Duration.ofHours(1);
        start(to(number -> List.of(number == 0 ? ScriptedServer.CLOSE : CONNECTED))
                .reconnect(new ReconnectPolicy(0, Duration.ZERO, hour, hour, Duration.ZERO, Duration.ZERO)));
        next(Status.Disconnected.class::isInstance);
        client.checkConnection();
        next(Status.Connected.class::isInstance);
    }

    @Test
    void aCheckFindsAConnectionThatDiedLongBeforeItsInterval() throws Exception {
        start(to(number -> List.of(CONNECTED.replace("\"ping\":100", "\"ping\":3600000"))));
        next(Status.Connected.class::isInstance);
        client.checkConnection();
        Status.Disconnected gone = (Status.Disconnected) next(Status.Disconnected.class::isInstance);
        assertThat(gone.code()).isEqualTo("timed-out");
    }

    @Test
    void closingAClientThatDialsThrowsNothing() throws Exception {
        CompletableFuture<Thread> dialling = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        start(to(number -> List.of(CONNECTED)).token(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, exception) -> uncaught.add(exception));
            dialling.complete(Thread.currentThread());
            awaitQuietly(closed);
            return "token";
        }));
        Thread dialler = dialling.get(20, TimeUnit.SECONDS);
        client.close();
        closed.countDown();
        dialler.join();
        assertThat(uncaught).isEmpty();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theReconnectTimeOfTheServerIsRespected() throws Exception {
        start(to(number ->
                List.of(CONNECTED, "{\"op\":\"reconnect\",\"after\":123,\"reason\":\"drain\"}", ScriptedServer.CLOSE)));
        assertThat(next(Status.ReconnectAsked.class::isInstance))
                .isEqualTo(new Status.ReconnectAsked(Duration.ofMillis(123), "drain"));
        Status.Disconnected gone = (Status.Disconnected) next(Status.Disconnected.class::isInstance);
        assertThat(gone.retryIn()).isEqualTo(Duration.ofMillis(123));
    }

    private static String refusal(String code, int retryAfter) {
        String body = "{\"code\":\"" + code + "\",\"reason\":\"why\"}";
        return "HTTP/1.1 503 Service Unavailable\r\nRetry-After: " + retryAfter + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
    }

    @Test
    void clientsRejectedTogetherReconnectAtDifferentTimes() throws Exception {
        BelfryClient.Builder builder = to(number -> List.of(refusal("overloaded", 7)))
                .reconnect(new ReconnectPolicy(
                        3, Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(9), Duration.ZERO, Duration.ZERO));
        Set<Duration> pauses = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            try (BelfryClient each = builder.build().start()) {
                pauses.add(((Status.Disconnected) next(Status.Disconnected.class::isInstance)).retryIn());
                client = each;
            }
        }
        assertThat(pauses).allMatch(pause -> pause.toMillis() >= 7000 && pause.toMillis() <= 9000);
        assertThat(pauses)
                .as("each client adds a random pause to the time it was given")
                .hasSizeGreaterThan(4);
    }

    @Test
    void aDrainingServerIsReplacedAtOnce() throws Exception {
        try (ScriptedServer other = new ScriptedServer(number -> List.of(CONNECTED))) {
            server = new ScriptedServer(number -> List.of(refusal("not-ready", 600)));
            start(builder().server(server.url(), 1_000_000).server(other.url()));
            Status.Disconnected refused = (Status.Disconnected) next(Status.Disconnected.class::isInstance);
            assertThat(refused.code()).isEqualTo("not-ready");
            assertThat(refused.retryIn()).isLessThan(Duration.ofSeconds(1));
            Status.Connected connected = (Status.Connected) next(Status.Connected.class::isInstance);
            assertThat(connected.server()).hasToString(other.url());
        }
    }

    @Test
    void aStaleServerIsReportedAndTheConnectionStays() throws Exception {
        client = to(number -> List.of(
                        CONNECTED,
                        SUBSCRIBED,
                        "{\"op\":\"stale\",\"stale\":true}",
                        message(2),
                        "{\"op\":\"stale\",\"stale\":false}"))
                .build();
        client.subscribe("/a", message -> received.add(message.text()));
        client.start();
        assertThat(next(status -> status instanceof Status.Stale || status instanceof Status.Disconnected))
                .isEqualTo(new Status.Stale(true));
        assertThat(next(status -> status instanceof Status.Stale || status instanceof Status.Disconnected))
                .isEqualTo(new Status.Stale(false));
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("2");
    }

    @Test
    void aPublishWithoutMsgIdIsUnknownAfterADisconnect() {
        start(to(number -> List.of(CONNECTED)));
        CompletableFuture<Position> published = client.publish("/a", new byte[1], PublishOptions.ONCE);
        assertThat(published)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        PublishException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(PublishException.Kind.UNKNOWN));
    }

    @Test
    void aMessageAboveTheServersLimitIsNotSent() {
        start(to(number -> List.of(CONNECTED.replace("}", ",\"maxMessage\":10}"))));
        assertThat(client.publish("/a", new byte[11]))
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        PublishException.class,
                        failure -> assertThat(failure.code()).isEqualTo("message-too-large"));
    }

    @Test
    void aListenerThatThrowsStillGetsTheNextMessage() throws Exception {
        client = to(number -> List.of(CONNECTED, SUBSCRIBED, message(2), message(3)))
                .build();
        client.subscribe("/a", message -> {
            received.add(message.text());
            throw new IllegalStateException("listener");
        });
        client.start();
        assertThat(next(Status.ListenerFailed.class::isInstance)).isNotNull();
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("2");
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("3");
    }

    @Test
    void aMessageThatWaitsIsNotDeliveredAfterUnsubscribe() throws Exception {
        CountDownLatch unsubscribed = new CountDownLatch(1);
        client = to(number -> List.of(CONNECTED, SUBSCRIBED, message(2), message(3)))
                .executor(task -> Thread.ofPlatform().daemon().start(task))
                .build();
        Subscription subscription = client.subscribe("/a", message -> {
            received.add(message.text());
            awaitQuietly(unsubscribed);
        });
        client.start();
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("2");
        subscription.unsubscribe();
        unsubscribed.countDown();
        next(Status.Unsubscribed.class::isInstance);
        assertThat(received).isEmpty();
    }

    @Test
    void duplicatesAreDroppedAndGapsAnnounced() throws Exception {
        client = to(number -> List.of(CONNECTED, SUBSCRIBED, message(2), message(2), message(5)))
                .build();
        client.subscribe("/a", message -> received.add(message.text()));
        client.start();
        Status.GapFound found = (Status.GapFound) next(Status.GapFound.class::isInstance);
        assertThat(found.gap()).isEqualTo(new Gap("/a", new Position(7, 2), new Position(7, 4), Gap.NOT_RECOVERED));
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("2");
        assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("5");
    }

    private static String ofPattern(int seq, String type) {
        return message(seq).replace("}", ",\"type\":\"" + type + "\"}");
    }

    @Test
    void aPatternContinuesFromItsPositionOnTheNextConnection() throws Exception {
        String confirmed = "{\"op\":\"subscribed\",\"subject\":\"/*\",\"at\":\"AQAA\",\"recovery\":\"none\"}";
        client = to(number -> number == 0
                        ? List.of(CONNECTED, confirmed, message(2), message(3), ScriptedServer.CLOSE)
                        : List.of(
                                CONNECTED,
                                ofPattern(3, "recovered"),
                                ofPattern(4, "recovered"),
                                confirmed.replace("none", "complete"),
                                "{\"op\":\"position\",\"at\":\"AQAB\"}",
                                message(5)))
                .build();
        Subscription pattern = client.subscribe("/*", message -> received.add(message.text()));
        client.start();
        for (String wanted : List.of("2", "3", "4", "5")) {
            assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo(wanted);
        }
        assertThat(pattern.position()).isEqualTo("AQAB");
        assertThat(statuses).noneMatch(Status.GapFound.class::isInstance);
    }

    @Test
    void aListenerMayCloseItsClient() throws Exception {
        client = to(number -> List.of(CONNECTED, SUBSCRIBED, message(2))).build();
        client.subscribe("/a", message -> client.close());
        client.start();
        next(Status.Closed.class::isInstance);
        client.close();
        assertThat(client.publish("/a", "x")).isCompletedExceptionally();
    }

    @Test
    void aRefusedConnectionIsReportedAndRetried() throws Exception {
        start(to(number -> List.of()));
        server.close();
        next(status -> status instanceof Status.Connecting connecting && connecting.attempt() >= 2);
    }

    @Test
    void anInvalidSubjectIsRejectedAtOnce() {
        client = to(number -> List.of()).build();
        assertThatThrownBy(() -> client.subscribe("a", message -> {})).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.publish("/a/*", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.subscribe("/a/*", message -> {}, SubscribeOptions.history(1)))
                .isInstanceOf(IllegalArgumentException.class);
        client.subscribe("/a", message -> {});
        assertThatThrownBy(() -> client.subscribe("/a", message -> {})).isInstanceOf(IllegalStateException.class);
    }
}
