package io.belfry.clients.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.client.Status;
import io.belfry.client.Transport;
import java.util.Locale;

/** Writes the statuses of one client. Owner: the client's thread. */
final class StatusLines {
    private final String client;
    private final String transport;
    private final ProtocolOutput out;

    StatusLines(String client, Transport transport, ProtocolOutput out) {
        this.client = client;
        this.transport = switch (transport) {
            case WEBSOCKET -> "webSocket";
            case HTTP_STREAM -> "httpStream";
            case SSE -> "sse";
        };
        this.out = out;
    }

    private ObjectNode line(String op) {
        return ProtocolOutput.line(op).put("client", client);
    }

    private ObjectNode state(String state) {
        return line("status").put("state", state);
    }

    void write(Status status) {
        switch (status) {
            case Status.Connecting now ->
                out.write(at("connecting", now.server().toString()));
            case Status.Connected now -> out.write(at("connected", now.server().toString()));
            case Status.Disconnected now ->
                out.write(state("disconnected")
                        .put("code", now.code())
                        .put("reason", now.reason())
                        .put("retryMillis", now.retryIn().toMillis()));
            case Status.Refused now ->
                out.write(state("refused").put("code", now.code()).put("reason", now.reason()));
            case Status.ReconnectAsked now ->
                out.write(state("reconnectAsked")
                        .put("afterMillis", now.after().toMillis())
                        .put("reason", now.reason()));
            case Status.TokenToExpire now ->
                out.write(state("tokenToExpire").put("afterMillis", now.after().toMillis()));
            case Status.Stale now -> out.write(state("stale").put("stale", now.stale()));
            case Status.Closed now -> out.write(state("closed"));
            case Status.Subscribed now ->
                out.write(line("subscribed")
                        .put("subject", now.subject())
                        .put("recovery", now.recovery().name().toLowerCase(Locale.ROOT)));
            case Status.SubscribeRefused now ->
                out.write(line("ended")
                        .put("subject", now.subject())
                        .put("code", now.code())
                        .put("reason", now.reason()));
            case Status.ListenerFailed now ->
                out.write(line("error").put("kind", "listener").put("reason", String.valueOf(now.cause())));
            case Status.CommandFailed now ->
                out.write(line("error")
                        .put("kind", now.code().equals("token-to-expire") ? "token" : "command")
                        .put("code", now.code())
                        .put("reason", now.reason()));
            case Status.SubscribedByServer now ->
                out.write(state("subscribedByServer").put("subject", now.subject()));
            case Status.Unsubscribed now -> {}
            case Status.GapFound now -> {}
            case Status.PublishUnknown now -> {}
        }
    }

    private ObjectNode at(String state, String server) {
        return state(state).put("server", server).put("transport", transport);
    }
}
