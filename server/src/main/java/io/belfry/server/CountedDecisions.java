package io.belfry.server;

import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.EntitlementEvents;
import io.belfry.server.workgroup.Lane;
import java.util.concurrent.CompletableFuture;

/** Counts the events of the entitlement. They happen on any thread, but only a lane may update its counters. Immutable. */
record CountedDecisions(CompletableFuture<Lane> counting) implements EntitlementEvents {
    private void count(Counter counter) {
        counting.thenAccept(lane -> lane.count(counter));
    }

    @Override
    public void onKeyFailure() {
        count(Counter.KEY_FAILURES);
    }

    @Override
    public void onRequest() {
        count(Counter.DECISION_REQUESTS);
    }

    @Override
    public void onRequestFailure() {
        count(Counter.DECISION_FAILURES);
    }

    @Override
    public void onCached() {
        count(Counter.DECISIONS_CACHED);
    }

    @Override
    public void onRefused() {
        count(Counter.DECISIONS_REFUSED);
    }
}
