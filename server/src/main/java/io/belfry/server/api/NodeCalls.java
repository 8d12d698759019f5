package io.belfry.server.api;

import io.belfry.protocol.Code;
import io.belfry.server.api.PeerNodes.Outcome;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.monitor.NodeSummary;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The calls about nodes. Any thread. */
final class NodeCalls {
    private static final long DRAIN_MILLIS = 10_000;
    private static final long DRAIN_MILLIS_MAX = 3_600_000;

    private final ApiSetup setup;
    private final PeerNodes peers;

    NodeCalls(ApiSetup setup, PeerNodes peers) {
        this.setup = setup;
        this.peers = peers;
    }

    ApiReply list(ApiRequest request) {
        return ApiReply.object(json -> {
            json.writeStringField("node", setup.node());
            json.writeArrayFieldStart("nodes");
            for (NodeSummary each : setup.nodes().get()) {
                json.writeStartObject();
                each.writeMembers(json);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    ApiReply drain(ApiRequest request) throws IOException {
        long overMillis = request.arguments().number("overMillis", DRAIN_MILLIS, DRAIN_MILLIS_MAX);
        if (!request.path("node").equals(setup.node())) {
            return elsewhere(request);
        }
        Audit.log(request, "drain", "node=" + setup.node() + " overMillis=" + overMillis);
        setup.drain().accept(Duration.ofMillis(overMillis));
        return ApiReply.object(json -> {
            SessionCalls.scope(json, setup.node());
            json.writeNumberField("overMillis", overMillis);
        });
    }

    private ApiReply elsewhere(ApiRequest request) throws IOException {
        Optional<Outcome> outcome =
                request.isForwarded() ? Optional.empty() : peers.one(request.path("node"), request, request.target());
        return switch (outcome.orElse(null)) {
            case null ->
                throw new HttpRefusal(
                        Code.NOT_FOUND,
                        "this is the node " + setup.node() + ", and Api.Nodes has no node " + request.path("node"));
            case Outcome.Done done -> new ApiReply(200, null, ApiReply.JSON, Map.of(), done.body());
            case Outcome.Failed failed ->
                throw new HttpRefusal(
                        Code.NODE_UNREACHABLE, failed.node() + ": " + failed.code() + ": " + failed.reason());
        };
    }
}
