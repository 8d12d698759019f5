package io.belfry.clients;

import io.belfry.integration.CuttingProxy;
import io.belfry.integration.NetworkFaults;

/** A network path to a server that a check can close and open again. Any thread. */
final class Gate implements AutoCloseable {
    /** Nothing listens on this port, so the proxy ends each new connection at once. */
    private static final int NOWHERE = 1;

    private final NetworkFaults network = NetworkFaults.calm();
    private final CuttingProxy proxy;
    private volatile boolean open = true;

    Gate(int port) {
        proxy = new CuttingProxy(() -> open ? port : NOWHERE, network);
    }

    int port() {
        return proxy.port();
    }

    /** Ends the connections; new ones end at once until {@link #open}. */
    void shut() {
        open = false;
        proxy.cut(sent -> true);
    }

    /**
     * Ends the connections as {@link #shut} does, and waits until the client has lost its connection. Over long polling a client
     * repeats a failed request once. If the gate opens before, the client keeps its connection and has nothing to recover.
     */
    void shut(DrivenClient client) {
        int before = client.statuses("disconnected").size();
        shut();
        client.awaitStates("disconnected", before + 1);
    }

    void open() {
        open = true;
    }

    /** Ends the connections; new ones are possible. */
    void cut() {
        proxy.cut(sent -> true);
    }

    /** Holds all bytes, as a network that loses every packet, or lets them continue. */
    void hold(boolean held) {
        network.hold(held);
    }

    int openLines() {
        return proxy.openLines();
    }

    @Override
    public void close() {
        network.hold(false);
        proxy.close();
    }
}
