package io.belfry.integration;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client that follows the members of a subject by the rules of docs/presence.md. Any thread. */
final class PresenceFollower implements MessageListener, AutoCloseable {
    /** A member that was seen to leave, and the time. */
    record Departure(String user, long nanos) {}

    private final Map<String, Integer> members = new TreeMap<>();
    private final List<Departure> departures = new CopyOnWriteArrayList<>();
    private final BelfryClient client;

    private PresenceFollower(BelfryClient.Builder builder, String presence) {
        client = builder.build();
        client.subscribe(presence, this);
        client.start();
    }

    /** Follows a presence subject on these ports, one at a time. */
    static PresenceFollower of(String presence, String token, int... ports) {
        BelfryClient.Builder builder = BelfryClient.builder().token(token);
        for (int port : ports) {
            builder.server("ws://127.0.0.1:" + port);
        }
        return new PresenceFollower(builder, presence);
    }

    /** Returns the number of sessions of each member. */
    synchronized Map<String, Integer> members() {
        return Map.copyOf(members);
    }

    List<Departure> departures() {
        return departures;
    }

    @Override
    public synchronized void onMessage(Message message) {
        Set<String> before = new HashSet<>(members.keySet());
        JsonNode event = Http.json(message.text());
        switch (event.path("event").asText()) {
            case "state" -> {
                members.clear();
                event.path("members").forEach(this::set);
            }
            case "joined", "changed" -> set(event);
            case "left" -> members.remove(event.path("user").asText());
            default -> throw new AssertionError(message.text());
        }
        before.removeAll(members.keySet());
        before.forEach(user -> departures.add(new Departure(user, System.nanoTime())));
    }

    private void set(JsonNode member) {
        members.put(member.path("user").asText(), member.path("sessions").asInt());
    }

    @Override
    public synchronized void onGap(Gap gap) {
        members.clear();
    }

    @Override
    public void close() {
        client.close();
    }
}
