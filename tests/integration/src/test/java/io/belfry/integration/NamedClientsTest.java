package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests clients with names over WebSockets. */
class NamedClientsTest {
    private static final String ON = "Session.ClientNames=true";
    private static final String[] MONITORED = {
        ON, "Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorHTTP.Authentication=false"
    };

    @ParameterizedTest
    @EnumSource
    void theNewcomerTakesTheNameAndTheOlderConnectionIsClosed(WireEncoding encoding) {
        try (TestServer server = TestServer.start(MONITORED);
                TestClient older = TestClient.open(server, encoding);
                TestClient other = TestClient.open(server, encoding);
                TestClient newcomer = TestClient.open(server, encoding)) {
            older.connectAs("desk-7");
            older.expect(Event.Connected.class);
            other.connectAs("desk-8");
            other.expect(Event.Connected.class);
            newcomer.connectAs("desk-7");
            newcomer.expect(Event.Connected.class);
            Event.Closed closed = older.expect(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(Code.CLIENT_TAKEN.closeCode());
            assertThat(closed.reason()).startsWith("client-taken: ");
            newcomer.subscribe("/a");
            other.subscribe("/a");
            other.publish("/a", "x");
            assertThat(newcomer.data(1)).containsExactly("x");
            Await.until("the takeover and the names are counted", () -> isCounted(server));
        }
    }

    private static boolean isCounted(TestServer server) {
        JsonNode stats = server.stats();
        return stats.at("/closes/client-taken").asInt() == 1
                && stats.at("/counters/clientNames").asInt() == 2;
    }

    @ParameterizedTest
    @EnumSource
    void aNameIsRefusedWithoutTheKeyAndAcceptedAfterAReload(WireEncoding encoding) {
        try (TestServer server = TestServer.start();
                TestClient client = TestClient.open(server, encoding)) {
            client.connectAs("desk-7");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("unsupported");
            server.reload(ON);
            Await.until("the key applies", () -> {
                client.connectAs("desk-7");
                return client.next() instanceof Event.Connected;
            });
        }
    }

    @Test
    void aNameIsTakenAcrossEncodings() {
        try (TestServer server = TestServer.start(ON);
                TestClient json = TestClient.open(server, WireEncoding.JSON);
                TestClient binary = TestClient.open(server, WireEncoding.BINARY)) {
            json.connectAs("desk-7");
            json.expect(Event.Connected.class);
            binary.connectAs("desk-7");
            binary.expect(Event.Connected.class);
            assertThat(json.end()).isEqualTo(Code.CLIENT_TAKEN.closeCode());
        }
    }
}
