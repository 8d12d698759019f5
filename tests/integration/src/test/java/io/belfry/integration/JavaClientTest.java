package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.PublishException;
import io.belfry.client.ServerAddress;
import io.belfry.client.Status;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Subscription;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The Java client against the real server, over every transport and through what networks and servers do to it. */
final class JavaClientTest {
    private static ServerProcess server;

    private final List<BelfryClient> clients = new ArrayList<>();
    private final List<Status> statuses = new CopyOnWriteArrayList<>();
    private final String subject = "/java/" + System.nanoTime();

    /** Writes down what one subscription hears. */
    private static final class Heard implements MessageListener {
        final List<Message> messages = new CopyOnWriteArrayList<>();
        final List<Gap> gaps = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(Message message) {
            messages.add(message);
        }

        @Override
        public void onGap(Gap gap) {
            gaps.add(gap);
        }

        List<String> texts() {
            return messages.stream().map(Message::text).toList();
        }
    }

    @BeforeAll
    static void startServer() {
        server = ServerProcess.start("CacheSize=10000");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(BelfryClient::close);
    }

    private BelfryClient started(BelfryClient.Builder builder) {
        BelfryClient client = builder.listener(statuses::add).build().start();
        clients.add(client);
        return client;
    }

    private static <T> T done(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    private <T extends Status> List<T> told(Class<T> kind) {
        return statuses.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsPublishedIsDeliveredWithItsPosition(JavaWay way) {
        BelfryClient client = started(way.to(server.port()));
        Heard heard = new Heard();
        done(client.subscribe(subject, heard).ready());
        Position first = done(client.publish(subject, "0"));
        Position second = done(client.publish(subject, new byte[] {(byte) 0xff, 0}));
        Await.until("both", () -> heard.messages.size() == 2);
        assertThat(heard.messages.get(0).position()).isEqualTo(first);
        assertThat(heard.messages.get(1).position()).isEqualTo(second);
        assertThat(heard.messages.get(1).data()).containsExactly(0xff, 0);
        assertThat(told(Status.Connected.class)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void historyAndPositionsAreTaken(JavaWay way) {
        BelfryClient client = started(way.to(server.port()));
        List<CompletableFuture<Position>> published =
                numbers(5).stream().map(text -> client.publish(subject, text)).toList();
        Position third = done(published.get(2));
        done(published.get(4));
        Heard heard = new Heard();
        Subscription subscription = client.subscribe(subject, heard, SubscribeOptions.history(3));
        Await.until("three", () -> heard.messages.size() == 3);
        assertThat(heard.texts()).containsExactly("2", "3", "4");
        assertThat(heard.messages).allMatch(message -> message.type() == MessageType.HISTORY);
        subscription.unsubscribe();
        Heard later = new Heard();
        done(client.subscribe(subject, later, SubscribeOptions.from(third)).ready());
        Await.until("two", () -> later.messages.size() == 2);
        assertThat(later.texts()).containsExactly("3", "4");
    }

    @ParameterizedTest
    @EnumSource
    void aTokenThatExpiresIsRenewedWithoutALoss(JavaWay way) {
        AtomicInteger tokens = new AtomicInteger();
        try (ServerProcess strict = ServerProcess.start("Entitlement=JWT", "Jwt.Secret=" + Jwts.SECRET)) {
            BelfryClient client = started(way.to(strict.port()).token(() -> {
                // From the third on /gone is not allowed any more.
                String may = tokens.incrementAndGet() < 3 ? "{\"all\":[\"/**\"]}" : "{\"all\":[\"/java/*\"]}";
                return Jwts.hs256(Jwts.claims(3, may));
            }));
            Heard heard = new Heard();
            done(client.subscribe(subject, heard).ready());
            done(client.subscribe("/gone", new Heard()).ready());
            int sent = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
            while (System.nanoTime() < end) {
                done(client.publish(subject, Integer.toString(sent++)));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            int all = sent;
            Await.until("all came", () -> heard.messages.size() == all);
            assertThat(heard.texts()).isEqualTo(numbers(all));
            assertThat(heard.gaps).isEmpty();
            assertThat(tokens.get()).isBetween(4, 9);
            assertThat(told(Status.TokenToExpire.class)).isNotEmpty();
            assertThat(told(Status.Disconnected.class)).isEmpty();
            assertThat(told(Status.SubscribeRefused.class))
                    .extracting(Status.SubscribeRefused::subject, Status.SubscribeRefused::code)
                    .containsExactly(tuple("/gone", "subscribe-denied"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void throughCutsAtRandomEveryMessageComesOnceAndInOrder(JavaWay way) {
        int count = 3000;
        try (CuttingProxy toSubscriber = new CuttingProxy(server.port());
                CuttingProxy toPublisher = new CuttingProxy(server.port())) {
            BelfryClient subscriber = started(way.to(toSubscriber.port()));
            Heard heard = new Heard();
            done(subscriber.subscribe(subject, heard).ready());
            BelfryClient publisher = started(way.to(toPublisher.port()));
            Random random = new Random(way.ordinal());
            List<CompletableFuture<Position>> acknowledged = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                acknowledged.add(publisher.publish(subject, Integer.toString(i)));
                if (random.nextInt(400) == 0) {
                    (random.nextBoolean() ? toSubscriber : toPublisher).cut(said -> true);
                }
                LockSupport.parkNanos(random.nextInt(300_000));
            }
            acknowledged.forEach(JavaClientTest::done);
            Await.until("all of them", () -> heard.messages.size() >= count);
            assertThat(heard.texts()).isEqualTo(numbers(count));
            assertThat(heard.gaps).isEmpty();
            assertThat(told(Status.Disconnected.class)).isNotEmpty();
        }
    }

    @Test
    void whatAPatternHeardIsRecoveredAfterACut() {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            BelfryClient subscriber = started(JavaWay.BINARY.to(proxy.port()));
            BelfryClient publisher = started(JavaWay.BINARY.to(server.port()));
            Heard heard = new Heard();
            done(subscriber.subscribe(subject + "/**", heard).ready());
            done(publisher.publish(subject + "/a", "0"));
            Await.until("the first", () -> heard.messages.size() == 1);
            proxy.cut(said -> true);
            done(publisher.publish(subject + "/a", "1"));
            done(publisher.publish(subject + "/a", "2"));
            Await.until("what was missed", () -> heard.messages.size() == 3);
            done(publisher.publish(subject + "/a", "3"));
            Await.until("the live one", () -> heard.messages.size() == 4);
            assertThat(heard.texts()).isEqualTo(numbers(4));
            assertThat(heard.gaps)
                    .as("of subjects never heard of nothing is known")
                    .containsExactly(new Gap(subject + "/**", null, null, Gap.NOT_RECOVERED));
        }
    }

    @Test
    void compressedMessagesGoBothWaysWithinTheServersBounds() {
        try (ServerProcess compressing = ServerProcess.start(
                        "Compression=on",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                Http monitor = Http.to(compressing.monitorHttpPort())) {
            for (JavaWay way : List.of(JavaWay.BINARY, JavaWay.JSON)) {
                BelfryClient client = started(way.to(compressing.port()).compression(true));
                Heard heard = new Heard();
                done(client.subscribe(subject + way, heard).ready());
                List<String> sent =
                        List.of("short", "of few letters ".repeat(200), "0".repeat(60_000), "text ".repeat(12_000));
                sent.forEach(text -> done(client.publish(subject + way, text)));
                Await.until("all", () -> heard.messages.size() == sent.size());
                assertThat(heard.texts()).isEqualTo(sent);
            }
            Await.until(
                    "the figures",
                    () -> monitor.get("/stats")
                                    .json()
                                    .at("/counters/messagesCompressed")
                                    .asInt()
                            == 6);
            JsonNode counters = monitor.get("/stats").json().path("counters");
            assertThat(counters.path("bytesOut").asLong()).isLessThan(100_000);
            assertThat(counters.path("bytesIn").asLong())
                    .as("but what would look like a bomb")
                    .isLessThan(300_000);
            clients.forEach(BelfryClient::close);
        }
    }

    @Test
    void aServerThatDoesNotCompressIsSpokenToAsEver() {
        BelfryClient client = started(JavaWay.BINARY.to(server.port()).compression(true));
        Heard heard = new Heard();
        done(client.subscribe(subject, heard).ready());
        done(client.publish(subject, "x".repeat(1000)));
        Await.until("it", () -> heard.messages.size() == 1);
    }

    @Test
    void moreBridgesThanACommandMayNameAreGivenUp() {
        int count = 1500;
        try (ServerProcess wide = ServerProcess.start(
                        "Limit.SubjectsPerSession=3000",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                CuttingProxy proxy = new CuttingProxy(wide.port());
                Http monitor = Http.to(wide.monitorHttpPort())) {
            BelfryClient subscriber = started(JavaWay.JSON.to(proxy.port()).recoveredSubjects(count));
            BelfryClient publisher = started(JavaWay.BINARY.to(wide.port()));
            Heard heard = new Heard();
            done(subscriber.subscribe(subject + "/*", heard).ready());
            for (int i = 0; i < count; i++) {
                publisher.publish(subject + "/" + i, "x");
            }
            Await.until("all", () -> heard.messages.size() == count);
            proxy.cut(said -> true);
            Await.until("the pattern is confirmed again", () -> !heard.gaps.isEmpty());
            Await.until(
                    "the bridges are given up",
                    () -> monitor.get("/stats")
                                    .json()
                                    .at("/counters/subscriptions")
                                    .asInt()
                            == 1);
            assertThat(told(Status.CommandFailed.class)).isEmpty();
            clients.forEach(BelfryClient::close);
        }
    }

    @Test
    void aServerKilledAndStartedAnewIsAGapBetweenEpochs() {
        ServerProcess first = ServerProcess.start();
        int port = first.port();
        BelfryClient client = started(JavaWay.BINARY.to(port));
        Heard heard = new Heard();
        done(client.subscribe(subject, heard).ready());
        Position before = done(client.publish(subject, "before"));
        Await.until("the first", () -> heard.messages.size() == 1);
        first.kill();
        first.close();
        try (ServerProcess second = ServerProcess.start("Listen=127.0.0.1:" + port)) {
            assertThat(second.port()).isEqualTo(port);
            Await.until("the gap", () -> !heard.gaps.isEmpty());
            Position after = done(client.publish(subject, "after"));
            Await.until("the second", () -> heard.messages.size() == 2);
            assertThat(heard.gaps).hasSize(1);
            assertThat(heard.gaps.getFirst().from()).isEqualTo(before);
            assertThat(heard.gaps.getFirst().reason()).isEqualTo("epoch-changed");
            assertThat(after.epoch()).isGreaterThan(before.epoch());
            client.close();
        }
    }

    @Test
    void whenOneServerDiesTheOtherTakesOver() {
        try (ServerProcess one = ServerProcess.start();
                ServerProcess two = ServerProcess.start()) {
            BelfryClient client = started(JavaWay.BINARY.to(one.port(), two.port()));
            done(client.subscribe(subject, new Heard()).ready());
            ServerAddress served = told(Status.Connected.class).getFirst().server();
            (served.port() == one.port() ? one : two).kill();
            Await.until("the other", () -> told(Status.Connected.class).size() == 2);
            assertThat(told(Status.Connected.class).get(1).server()).isNotEqualTo(served);
            done(client.publish(subject, "on the other"));
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedTokenIsToldOnceAndNotTriedAgain(JavaWay way) {
        try (ServerProcess guarded = ServerProcess.start("EntitlementAllowToken=right-token")) {
            BelfryClient client = started(way.to(guarded.port()).token("wrong-token"));
            CompletableFuture<Position> published = client.publish(subject, "no");
            Await.until("the refusal", () -> !told(Status.Refused.class).isEmpty());
            assertThat(published)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(PublishException.class);
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            assertThat(told(Status.Connecting.class)).hasSize(1);
            assertThat(told(Status.Refused.class)).hasSize(1);
            assertThat(told(Status.Refused.class).getFirst().code()).isEqualTo("unauthorized");
        }
    }

    @Test
    void subscriptionsBeyondTheRateOfCommandsAreAskedForAgainAndPublishesTellWhenToComeAgain() {
        try (ServerProcess strict = ServerProcess.start("Limit.CommandRate=10", "Limit.PublishRate=1")) {
            BelfryClient client = started(BelfryClient.builder().server("ws://127.0.0.1:" + strict.port()));
            List<Subscription> many = IntStream.range(0, 25)
                    .mapToObj(i -> client.subscribe(subject + "/" + i, message -> {}))
                    .toList();
            many.forEach(each -> done(each.ready()));
            // Together in one read of the server, so that a slow machine does not stretch them over seconds.
            List<CompletableFuture<Position>> burst = IntStream.range(0, 50)
                    .mapToObj(i -> client.publish(subject, "message"))
                    .toList();
            assertThat(burst.getLast())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(PublishException.class, refused -> {
                        assertThat(refused.code()).isEqualTo("publish-rate");
                        assertThat(refused.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofMillis(1000));
                    });
        }
    }
}
