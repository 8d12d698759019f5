package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.util.function.Supplier;

/** {@code /health/live} and {@code /health/ready}: 200, or 503 with the reason. Immutable. */
record HealthPage(Supplier<Health.State> state) implements Page {
    private static final int UNAVAILABLE = 503;

    @Override
    public Answer answer(Headers request) throws IOException {
        if (state.get() instanceof Health.State.Unwell unwell) {
            Answer refusal = Answer.refusal(unwell.code(), unwell.reason());
            return new Answer(UNAVAILABLE, refusal.contentType(), refusal.body(), refusal.headers());
        }
        return Answer.json(200, json -> {
            json.writeStartObject();
            json.writeStringField("status", "ok");
            json.writeEndObject();
        });
    }

    @Override
    public boolean open() {
        return true;
    }
}
