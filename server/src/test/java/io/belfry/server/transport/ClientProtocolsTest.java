package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.codec.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClientProtocolsTest {
    private final ClientProtocols protocols = BelfryProtocols.all(false);

    @Test
    void everyPathAndParameterIsDocumented() throws IOException {
        String text =
                Files.readString(Path.of("../docs/protocol.md")) + Files.readString(Path.of("../docs/entitlement.md"));
        assertThat(protocols.endpoints()).hasSize(8);
        for (HttpEndpoint endpoint : protocols.endpoints()) {
            if (!endpoint.path().equals("/echo")) {
                assertThat(text).contains(endpoint.path());
            }
            for (String parameter : endpoint.parameters()) {
                assertThat(text).as(endpoint.path()).containsPattern("[`?&]" + parameter + "[`=]");
            }
        }
    }

    @Test
    void everyOtherPathIsThatOfAFile() {
        HttpEndpoint file = protocols.ofPath("/index.html");
        assertThat(file).isSameAs(protocols.ofPath("/publish/more"));
        assertThat(file.methods().include(HttpMethod.HEAD)).isTrue();
        assertThat(file.methods().include(HttpMethod.POST)).isFalse();
    }

    @Test
    void aTokenInTheQueryIsReadForReadersOnly() {
        assertThat(protocols.endpoints().stream()
                        .filter(endpoint -> endpoint.reads("token"))
                        .map(HttpEndpoint::path))
                .containsExactlyInAnyOrder("/subscribe", "/poll");
    }
}
