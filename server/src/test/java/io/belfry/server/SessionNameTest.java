package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ConfigLoader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a client learns the session name under which an operator finds it. */
class SessionNameTest {
    private static final String HEADER = "Belfry-Session: ";

    @TempDir
    private Path folder;

    @Test
    void aSlowHttpStreamIsListedUnderItsSessionName() throws Exception {
        Server server = Server.start(ConfigLoader.load(
                Optional.empty(),
                Map.of(),
                List.of(
                        "Listen=127.0.0.1:0",
                        "Monitor=none",
                        "LogFolder=" + folder,
                        "IoThreads=1",
                        "Workgroups=1",
                        "SlowConsumer=drop",
                        "BufferLimit.Unsent=1",
                        "MaxMessageSize=1MB")));
        int port = server.listening().plain().getFirst().port();
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(8192);
            slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            String session = session(slow);
            HttpClient publisher = HttpClient.newHttpClient();
            HttpRequest publish = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/publish?subject=/slow"))
                    .POST(BodyPublishers.ofString("x".repeat(500_000)))
                    .build();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (server.monitor().latest().slowest().isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                assertThat(publisher.send(publish, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(200);
            }
            assertThat(server.monitor().latest().slowest()).singleElement().satisfies(listed -> {
                assertThat(listed.session()).isEqualTo(session);
                assertThat(listed.address()).isEqualTo("127.0.0.1");
            });
        } finally {
            server.stop();
        }
    }

    /** Requests a stream and reads the session's name from the response head. */
    static String session(Socket socket) throws IOException {
        socket.getOutputStream()
                .write("GET /subscribe?subject=/slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String found = "";
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.startsWith(HEADER)) {
                found = line.substring(HEADER.length());
            }
        }
        return found;
    }
}
