package io.belfry.clients.driver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Passes a client's requests for tokens to the runner. Any thread. */
final class TokenQuestions {
    private final String client;
    private final ProtocolOutput out;
    private final AtomicLong asked = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();

    TokenQuestions(String client, ProtocolOutput out) {
        this.client = client;
        this.out = out;
    }

    /** The token source: waits for the runner's answer. */
    @Nullable
    String ask() {
        long number = asked.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        open.put(number, answer);
        out.write(ProtocolOutput.line("token").put("client", client).put("ask", number));
        JsonNode answered = answer.join();
        if (answered.has("fails")) {
            throw new IllegalStateException(answered.path("fails").asText());
        }
        return answered.has("token") ? answered.path("token").asText() : null;
    }

    void answered(JsonNode command) {
        CompletableFuture<JsonNode> question = open.remove(command.path("ask").asLong());
        if (question == null) {
            throw new IllegalStateException("no such question");
        }
        question.complete(command);
    }
}
