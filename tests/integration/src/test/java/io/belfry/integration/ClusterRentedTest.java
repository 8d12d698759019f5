package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.cluster.Brokers;
import io.belfry.protocol.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests a Kafka of another operator: encrypted, with a password and with only the rights listed in docs/cluster.md. */
@Tag("complete")
final class ClusterRentedTest {
    private static final String USER = "belfry-node";
    private static final String PASSWORD = "not-to-be-shown";

    private static SelfSigned certificate;
    private static Brokers brokers;
    private static ClusterNodes cluster;

    @BeforeAll
    static void start() throws IOException {
        certificate = SelfSigned.make();
        AtomicInteger guarded = new AtomicInteger();
        Path folder = Files.createTempDirectory(TestMachine.target(), "brokers");
        brokers = Brokers.start(
                TestMachine.root(),
                folder,
                1,
                port -> {
                    guarded.set(port);
                    return port;
                },
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,DETOUR:SASL_SSL",
                "sasl.enabled.mechanisms=PLAIN",
                "listener.name.detour.plain.sasl.jaas.config=" + plain("user_" + USER + "=\"" + PASSWORD + "\""),
                "ssl.keystore.type=PKCS12",
                "ssl.keystore.location=" + certificate.store(),
                "ssl.keystore.password=" + SelfSigned.PASSWORD,
                "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users=User:ANONYMOUS");
        cluster = new ClusterNodes("127.0.0.1:" + guarded, "rented");
    }

    @AfterAll
    static void stop() {
        brokers.close();
    }

    private static String plain(String options) {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required " + options + ";";
    }

    private static String[] as(String password, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "Kafka.clients.security.protocol=SASL_SSL",
                "Kafka.clients.sasl.mechanism=PLAIN",
                "Kafka.clients.sasl.jaas.config=" + plain("username=\"" + USER + "\" password=\"" + password + "\""),
                "Kafka.clients.ssl.truststore.type=PEM",
                "Kafka.clients.ssl.truststore.location=" + certificate.certificate()));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Grants this right on all topics that a node uses. */
    private static void allow(AclOperation right) throws ExecutionException, InterruptedException {
        for (String topic : List.of("rented", "rented.retained", "rented.presence", "orders")) {
            allow(ResourceType.TOPIC, topic, List.of(right));
        }
    }

    private static void allow(ResourceType type, String name, List<AclOperation> operations)
            throws ExecutionException, InterruptedException {
        try (Admin owner = Admin.create(Map.of("bootstrap.servers", brokers.addresses()))) {
            owner.createAcls(operations.stream()
                            .map(operation -> new AclBinding(
                                    new ResourcePattern(type, name, PatternType.LITERAL),
                                    new AccessControlEntry("User:" + USER, "*", operation, AclPermissionType.ALLOW)))
                            .toList())
                    .all()
                    .get();
        }
    }

    private static void requireRefused(String password) {
        assertThatThrownBy(() -> cluster.start(as(password)).close())
                .hasMessageContaining("refuses this node")
                .hasMessageContaining("rights listed in docs/cluster.md");
    }

    @Test
    void theDocumentedRightsSufficeAndAMissingOneIsReported() throws Exception {
        requireRefused(PASSWORD);
        new Topics(brokers.addresses()).create("orders", 2);
        allow(ResourceType.CLUSTER, Resource.CLUSTER_NAME, List.of(AclOperation.CREATE));
        for (AclOperation right : List.of(AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)) {
            allow(right);
            requireRefused(PASSWORD);
        }
        allow(AclOperation.READ);
        String[] settings = as(PASSWORD, "Kafka.Bridge=orders", "PubSubTightlyCoupled=true", "Kafka.PublishTime=2s");
        try (ServerProcess reading = cluster.start(settings);
                TestClient publisher = TestClient.open(reading, WireEncoding.JSON)) {
            reading.expectErrors();
            publisher.send(1, "/rented", "no right", false, null);
            // Unknown if Kafka's producer had accepted the record when its request for a producer id was refused;
            // after that refusal the producer accepts no record, so the publish was certainly not written.
            assertThat(publisher.expect(Event.Failed.class).code()).isIn("publish-unknown", "cluster-unreachable");
        }
        allow(AclOperation.WRITE);
        Position first;
        try (ServerProcess one = cluster.start(settings);
                ServerProcess two = cluster.start(settings);
                TestClient publisher = TestClient.open(one, WireEncoding.JSON);
                TestClient subscriber = TestClient.open(two, WireEncoding.BINARY)) {
            for (String subject : List.of("/rented", "/kept", "/orders/17")) {
                subscriber.subscribe(subject);
            }
            first = publisher.publish("/rented", "first");
            publisher.publish("/rented", "second");
            publisher.publish("/orders/17", "third");
            publisher.retain("/kept", "fourth", null);
            assertThat(subscriber.data(4)).containsExactlyInAnyOrder("first", "second", "third", "fourth");
            assertThat(Stream.of(one, two).map(ServerProcess::logText)).noneMatch(text -> text.contains(PASSWORD));
        }
        try (ServerProcess later = cluster.start(settings);
                TestClient client = TestClient.open(later, WireEncoding.JSON)) {
            client.resume("/rented", first);
            assertThat(client.data(1)).containsExactly("second");
            client.subscribe("/kept");
            assertThat(client.data(1)).containsExactly("fourth");
        }
    }

    @Test
    void aWrongPasswordFailsTheStart() {
        requireRefused("wrong");
    }
}
