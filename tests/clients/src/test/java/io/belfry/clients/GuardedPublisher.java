package io.belfry.clients;

import io.belfry.integration.Http;
import io.belfry.integration.Jwts;
import io.belfry.integration.Numbered;
import io.belfry.protocol.Position;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Publishes numbered messages over HTTP to the server that requires tokens. Owner: the check's thread. */
final class GuardedPublisher implements AutoCloseable {
    private static final int PUBLISHER = 7;

    private final Scene scene;
    private final Http http;
    private final String token = Jwts.hs256(Jwts.claims(3600, "{\"all\":[\"/**\"]}"));
    private final Map<String, Long> numbers = new HashMap<>();

    GuardedPublisher(Scene scene) {
        this.scene = scene;
        this.http = Http.to(scene.guarded().port());
    }

    Position publish(String subject) {
        Numbered message = new Numbered(PUBLISHER, numbers.merge(subject, 1L, Long::sum));
        Http.Answer answer = http.post(
                "/publish?subject="
                        + URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20"),
                message.data(0),
                "Authorization: Bearer " + token);
        Position at = new Position(
                answer.json().path("epoch").asLong(), answer.json().path("seq").asLong());
        scene.ledger.acknowledged(subject, at, message);
        return at;
    }

    @Override
    public void close() {
        http.close();
    }
}
