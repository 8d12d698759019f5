package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** {@code /health/live} and {@code /health/ready}: 200 with a possible warning, or 503 with a reason. Immutable. */
record HealthPage(Supplier<Health.State> state) implements Page {
    private static final int UNAVAILABLE = 503;

    @Override
    public Answer answer(Headers request) throws IOException {
        return switch (state.get()) {
            case Health.State.Unwell unwell -> {
                Answer refusal = Answer.refusal(unwell.code(), unwell.reason());
                yield new Answer(UNAVAILABLE, refusal.contentType(), refusal.body(), refusal.headers());
            }
            case Health.State.Well(Optional<String> warning) ->
                Answer.json(200, json -> {
                    json.writeStartObject();
                    json.writeStringField("status", "ok");
                    if (warning.isPresent()) {
                        json.writeStringField("warning", warning.get());
                    }
                    json.writeEndObject();
                });
        };
    }

    @Override
    public boolean open() {
        return true;
    }
}
