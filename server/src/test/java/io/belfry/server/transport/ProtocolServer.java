package io.belfry.server.transport;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.LaneSetup;
import io.belfry.server.workgroup.Workgroups;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Listens with the protocols of the server and others, on one lane unless the settings have more. Owner: the test that closes it. */
final class ProtocolServer implements AutoCloseable {
    private final ListenerTransport transport;
    private final Workgroups workgroups;
    private final int port;

    ProtocolServer(List<ClientProtocol> added, String... settings) {
        List<String> all = Stream.concat(
                        Stream.of("Workgroups=1", "IoThreads=1", "Listen=127.0.0.1:0"), Stream.of(settings))
                .toList();
        ServerConfig config = ConfigLoader.load(Optional.empty(), Map.of(), all);
        NodeIdentity identity = new NodeIdentity(0);
        identity.name("node");
        NodeFacts facts = new NodeFacts(identity, 1, 1024);
        LaneSetup setup = new LaneSetup(
                config,
                new OpenEntitlement(),
                facts,
                new Counters(config.workgroups().ioThreads()),
                Clock.SYSTEM,
                1);
        transport = new ListenerTransport(config, null);
        workgroups = new Workgroups(config.workgroups(), transport::loop, setup);
        List<ClientProtocol> protocols = new ArrayList<>(BelfryProtocols.list(false));
        protocols.addAll(added);
        port = transport
                .listen(config, workgroups, Optional::empty, Clock.SYSTEM, protocolsOf(protocols))
                .plain()
                .getFirst()
                .port();
    }

    static ClientProtocols protocolsOf(List<ClientProtocol> list) {
        return new ClientProtocols(list, HttpEndpoint.read("", FileEndpoint::serve));
    }

    int port() {
        return port;
    }

    /** Runs the task on the event loop of a lane. */
    void onLoop(int lane, Runnable task) {
        transport.loop(lane).execute(task);
    }

    /** Returns a new connection, whose reads fail after ten seconds without a byte. */
    Socket connect() throws java.io.IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        return socket;
    }

    @Override
    public void close() {
        transport.stop();
        workgroups.lanes().forEach(lane -> lane.release());
    }
}
