package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import com.sun.net.httpserver.Headers;
import io.belfry.server.alert.Alert;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /health/live} and {@code /health/ready}: 200 with a possible warning, or 503 with a reason. The titles of raised alerts
 * are details that do not change the status. Immutable.
 */
record HealthPage(Supplier<Health.State> state, Supplier<List<Alert>> alerts) implements Page {
    private static final int UNAVAILABLE = 503;

    @Override
    public Answer answer(Headers request) throws IOException {
        return switch (state.get()) {
            case Health.State.Unwell unwell ->
                Answer.json(UNAVAILABLE, json -> {
                    json.writeStartObject();
                    json.writeStringField("code", unwell.code().text());
                    json.writeStringField("reason", unwell.reason());
                    writeAlerts(json);
                    json.writeEndObject();
                });
            case Health.State.Well(Optional<String> warning) ->
                Answer.json(200, json -> {
                    json.writeStartObject();
                    json.writeStringField("status", "ok");
                    if (warning.isPresent()) {
                        json.writeStringField("warning", warning.get());
                    }
                    writeAlerts(json);
                    json.writeEndObject();
                });
        };
    }

    /** Writes no figures, because these pages need no password. */
    private void writeAlerts(JsonGenerator json) throws IOException {
        List<Alert> raised = alerts.get();
        if (raised.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("alerts");
        for (Alert alert : raised) {
            json.writeStartObject();
            json.writeStringField("name", alert.rule().alertName());
            json.writeStringField("severity", alert.rule().severity().text());
            json.writeStringField("title", alert.rule().title());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    @Override
    public boolean open() {
        return true;
    }
}
