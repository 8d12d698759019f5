package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A server with the server API and JWTs, and what the tests of its calls share. Pure. */
final class ApiCalls {
    static final String KEY = "0123456789abcdef0123456789abcdef";
    static final String ALL = "Authorization: Bearer " + KEY;
    static final String JSON = "Content-Type: application/json";

    private ApiCalls() {}

    static Path keys() {
        try {
            Path file = Files.createTempFile(TestMachine.target(), "api", ".keys");
            Files.writeString(file, "all publish,read,act " + KEY + "\n");
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ServerInJvm server(String... more) {
        return ServerInJvm.start(Stream.concat(
                        Stream.of(
                                "Api.Listen=127.0.0.1:0",
                                "Api.KeyFile=" + keys(),
                                "Entitlement=JWT",
                                "Jwt.Secret=" + Jwts.SECRET,
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    /** Returns a token of a user with all permissions; {@code more} has further claims, each followed by a comma. */
    static String token(String user, String more) {
        return Jwts.hs256("{\"sub\":\"" + user + "\"," + more
                + Jwts.claims(60, "{\"all\":[\"/**\"]}").substring(1));
    }

    static TestClient client(ServerInJvm server, String token, WireEncoding encoding) {
        return TestClient.open(server, encoding, "Authorization: Bearer " + token);
    }

    static Http.Answer post(Http api, String path, String body) {
        return api.post(path, body, ALL, JSON);
    }

    static void assertRefused(Http.Answer answer, Code code) {
        assertThat(answer.code()).as(answer.body()).isEqualTo(code.text());
        assertThat(answer.status()).isEqualTo(code.httpStatus());
        assertThat(answer.json().path("reason").asText()).isNotEmpty();
    }
}
