package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.net.InetAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides on the connections that one {@link Listener} accepts: counts them, selects the lane that serves each, and checks
 * the limits. It knows no kind of sockets. Owner: the loop of the listener.
 */
final class Acceptor {
    private final LoopContext accepting;
    private final Function<@Nullable InetAddress, LoopContext> assignment;
    private final boolean encrypted;
    private final ClientProtocols protocols;

    /** {@code assignment} returns the context that serves an address; any, for an unknown address. */
    Acceptor(
            LoopContext accepting,
            Function<@Nullable InetAddress, LoopContext> assignment,
            boolean encrypted,
            ClientProtocols protocols) {
        this.accepting = accepting;
        this.assignment = assignment;
        this.encrypted = encrypted;
        this.protocols = protocols;
    }

    /** Returns the context of the loop that accepts. */
    LoopContext accepting() {
        return accepting;
    }

    boolean isEncrypted() {
        return encrypted;
    }

    /** Counts an accepted connection from this address; returns the context of the lane that serves it. */
    LoopContext onAccepted(@Nullable InetAddress address) {
        accepting.lane().counters().increment(Counter.CONNECTIONS_ACCEPTED);
        // Proxied connections are spread over all lanes; assigned by the proxy's address, all would be on one lane.
        return assignment.apply(accepting.proxies().trusts(address) ? null : address);
    }

    /** Returns the connection of this socket: a {@link RefusedConnection} if it is over a limit. */
    SocketEvents admit(ClientSocket socket, @Nullable InetAddress address, LoopContext serving) {
        if (!accepting.takeConnect()) {
            return new RefusedConnection(serving, socket, Code.CONNECT_RATE);
        }
        if (encrypted && !accepting.takeHandshake()) {
            return new RefusedConnection(serving, socket, Code.TLS_RATE);
        }
        boolean proxied = accepting.proxies().trusts(address);
        Admission.Origin origin = accepting.admission().enter(proxied ? null : address);
        Code refusal = accepting.admission().refusal(origin, accepting.nowNanos());
        if (refusal != null) {
            accepting.admission().leave(origin, false, accepting.nowNanos());
            return new RefusedConnection(serving, socket, refusal);
        }
        int traits = (encrypted ? AdmittedSocket.SECURE : 0)
                | (proxied ? AdmittedSocket.PROXIED : 0)
                | (address != null && address.isLoopbackAddress() ? AdmittedSocket.LOOPBACK : 0);
        Connection connection = new Connection(serving, socket, origin, traits);
        connection.phase(firstPhase(connection));
        return connection;
    }

    private Phase firstPhase(Connection connection) {
        return protocols.isOnlyHttp()
                ? new HttpConnection(connection, protocols)
                : new FirstBytesConnection(connection, protocols);
    }

    /** Counts a connection that is refused and closed without an answer, before another loop serves it. */
    void onClosedUnanswered(RefusedConnection refused) {
        accepting.lane().counters().refused(refused.code());
        accepting.lane().counters().closed(refused.code());
        accepting.lane().counters().increment(Counter.CONNECTIONS_CLOSED);
    }
}
