package io.belfry.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Entitlements;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Outbound;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import io.belfry.server.workgroup.LaneSetup;
import io.belfry.server.workgroup.Workgroups;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists many sessions without sockets, on two event loops that measure their tasks. */
class SessionCensusTest {
    private static final int SESSIONS = TestScope.length(100_000, 10_000);
    private static final int LANES = 2;

    private final List<TimedLoop> loops = List.of(new TimedLoop(), new TimedLoop());
    private Workgroups workgroups;
    private SessionCensus census;

    @BeforeEach
    void open() throws IOException {
        ServerConfig config = ConfigLoader.load(
                Optional.empty(),
                Map.of(),
                List.of("Workgroups=" + LANES, "IoThreads=" + LANES, "Entitlement=None", "CacheMemory=4 MB"));
        Entitlement entitlement = Entitlements.start(config.entitlement(), Clock.SYSTEM::millis, () -> {});
        NodeIdentity identity = new NodeIdentity(0);
        identity.name("node");
        workgroups = new Workgroups(
                config.workgroups(),
                loops::get,
                new LaneSetup(
                        config, entitlement, new NodeFacts(identity, 1, 1024), new Counters(LANES), Clock.SYSTEM, 1));
        census = new SessionCensus(
                workgroups.lanes().stream().map(Lane::inspector).toList());
        for (Lane lane : workgroups.lanes()) {
            CompletableFuture<Void> opened = new CompletableFuture<>();
            loops.get(lane.index()).execute(() -> {
                Principal anyone = anyone(entitlement);
                Outbound nowhere = nowhere();
                for (int i = 0; i < SESSIONS / LANES; i++) {
                    lane.open(nowhere, BelfryFormat.WEBSOCKET_JSON, anyone);
                }
                opened.complete(null);
            });
            opened.join();
        }
    }

    private static Principal anyone(Entitlement entitlement) {
        CompletableFuture<Principal> principal = new CompletableFuture<>();
        entitlement.decide(
                new Entitlement.Credentials(null, true),
                answer -> principal.complete(((Entitlement.Answer.Accepted) answer).principal()));
        return principal.join();
    }

    /** Returns a connection that accepts everything. */
    private static Outbound nowhere() {
        return (Outbound) Proxy.newProxyInstance(
                Outbound.class.getClassLoader(), new Class<?>[] {Outbound.class}, (proxy, method, arguments) -> {
                    if (method.isDefault()) {
                        return java.lang.reflect.InvocationHandler.invokeDefault(proxy, method, arguments);
                    }
                    return method.getReturnType() == int.class
                            ? (Object) 0
                            : method.getReturnType() == boolean.class ? true : null;
                });
    }

    @AfterEach
    void close() {
        loops.forEach(TimedLoop::close);
        workgroups.lanes().forEach(Lane::release);
    }

    @Test
    void pagesAreCompleteAndNoTurnIsLong() {
        // Once for the compiler.
        census.page("", SessionCensus.Order.LAG, 0);
        loops.forEach(TimedLoop::takeDurations);
        Set<String> names = new HashSet<>();
        for (int page = 0; page <= SessionCensus.PAGE_MAX; page++) {
            SessionCensus.Page found = census.page("", SessionCensus.Order.CONNECTED, page);
            assertThat(found.total()).isEqualTo(SESSIONS);
            found.rows().stream().map(SessionRow::session).forEach(names::add);
        }
        assertThat(names).hasSize((SessionCensus.PAGE_MAX + 1) * SessionCensus.PAGE);
        SessionCensus.Page found = census.page("-1-ff", SessionCensus.Order.LAG, 0);
        assertThat(found.matching()).isPositive().isLessThan(SESSIONS / 10);
        assertThat(found.rows()).allMatch(row -> row.session().contains("-1-ff"));
        for (TimedLoop loop : loops) {
            long[] nanos = loop.takeDurations();
            System.out.printf(
                    "%d turns: median %d us, 99.9 %% %d us, longest %d us%n",
                    nanos.length,
                    nanos[nanos.length / 2] / 1000,
                    nanos[nanos.length * 999 / 1000] / 1000,
                    nanos[nanos.length - 1] / 1000);
            // A pause of the machine or a collection may make a few turns longer.
            assertThat(Arrays.stream(nanos).filter(each -> each > 5_000_000).count())
                    .as("turns over 5 ms of %s", nanos.length)
                    .isLessThan(nanos.length / 100);
        }
    }
}
