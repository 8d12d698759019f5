package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import io.belfry.server.entitlement.Entitlement;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects the facts about a request that the application decides by. Pure. */
final class DecisionFacts {
    private DecisionFacts() {}

    static Entitlement.Facts of(HttpRequest request, String address, List<String> names) {
        SortedMap<String, String> headers = new TreeMap<>();
        for (String name : names) {
            String value = request.header(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        String transport = request.headerHasToken("Upgrade", "websocket") ? "websocket" : "http";
        return new Entitlement.Facts(address, transport, request.path(), null, headers);
    }
}
