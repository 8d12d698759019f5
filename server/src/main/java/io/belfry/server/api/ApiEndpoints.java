package io.belfry.server.api;

import java.util.List;

/** The calls of the API. docs/api/openapi.json describes them, and a test compares both. Immutable. */
final class ApiEndpoints {
    private ApiEndpoints() {}

    static List<ApiEndpoint> of(ApiSetup setup, PeerNodes peers) {
        List<ApiLane> lanes = setup.lanes().stream().map(ApiLane::of).toList();
        PublishCalls publish = new PublishCalls(setup.config(), setup.lanes());
        SessionCalls sessions = new SessionCalls(lanes, setup.node());
        SubjectCalls subjects = new SubjectCalls(lanes, setup.node());
        RevokeCalls revoking = new RevokeCalls(setup, lanes);
        NodeCalls nodes = new NodeCalls(setup, peers);
        NodesSubjects lists = new NodesSubjects(peers, lanes, setup);
        NodesSessions everywhere = new NodesSessions(peers, sessions, setup.node());
        return List.of(
                ApiEndpoint.post("/v1/publish", ApiRight.PUBLISH, publish::publish),
                ApiEndpoint.post("/v1/broadcast", ApiRight.PUBLISH, publish::broadcast),
                ApiEndpoint.read("/v1/subjects", lists::list, "pattern", "after", "limit"),
                ApiEndpoint.post("/v1/subjects", ApiRight.READ, lists::named),
                ApiEndpoint.read("/v1/history", subjects::history, "subject", "after", "limit"),
                ApiEndpoint.delete("/v1/history", publish::remove, "subject"),
                ApiEndpoint.read("/v1/presence", subjects::presence, "subject"),
                ApiEndpoint.read("/v1/sessions", everywhere::list, "user", "subject", "state", "after", "limit"),
                ApiEndpoint.read("/v1/sessions/{session}", everywhere::one),
                ApiEndpoint.post(
                        "/v1/disconnect",
                        ApiRight.ACT,
                        NodesReply.onAll(peers, setup.node(), sessions::disconnect, "disconnected")),
                ApiEndpoint.post(
                        "/v1/subscribe",
                        ApiRight.ACT,
                        NodesReply.onAll(peers, setup.node(), sessions::subscribe, "subscribed", "refused")),
                ApiEndpoint.post(
                        "/v1/unsubscribe",
                        ApiRight.ACT,
                        NodesReply.onAll(peers, setup.node(), sessions::unsubscribe, "unsubscribed")),
                ApiEndpoint.post(
                        "/v1/revoke",
                        ApiRight.ACT,
                        NodesReply.onAll(peers, setup.node(), revoking::revoke, "disconnected")),
                ApiEndpoint.read("/v1/nodes", nodes::list),
                ApiEndpoint.post("/v1/nodes/{node}/drain", ApiRight.ACT, nodes::drain));
    }
}
