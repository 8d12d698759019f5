package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.session.AddressShare;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The layer of a {@link Connection} that knows its client for admission: the address under which the connection is
 * counted, whether the client has identified itself, and what the server trusts about it. Owner: the loop; the counts
 * that it changes in {@link Admission} are shared with all loops.
 */
abstract class AdmittedSocket extends SocketWriter {
    /** Trait: the peer, which is the client or its proxy, is on this machine. */
    static final int LOOPBACK = 1;

    /** Trait: the client uses TLS. */
    static final int SECURE = 2;

    /** Trait: the peer is a trusted proxy, which reports the address of its client. */
    static final int PROXIED = 4;

    private static final int KNOWN = 8;
    private static final int CLIENT_ON_LOOPBACK = 16;
    private static final int CALLED_LOOPBACK = 32;

    private Admission.Origin origin;
    private byte traits;

    /** {@code traits} is a combination of {@link #LOOPBACK}, {@link #SECURE} and {@link #PROXIED}. */
    AdmittedSocket(LoopContext context, ClientSocket socket, Admission.Origin origin, int traits) {
        super(context, socket);
        this.origin = origin;
        this.traits = (byte) traits;
    }

    private boolean is(int trait) {
        return (traits & trait) != 0;
    }

    private void set(int trait, boolean on) {
        traits = (byte) (on ? traits | trait : traits & ~trait);
    }

    /** Counts the connection under this client address from now on; returns why it is refused, or null. */
    @Nullable
    public Code comesFrom(@Nullable InetAddress client) {
        set(CLIENT_ON_LOOPBACK, client != null && client.isLoopbackAddress());
        if (origin.is(client)) {
            return null;
        }
        long now = context().nowNanos();
        origin = context().admission().move(origin, client, isKnown(), now);
        return context().admission().refusal(origin, now);
    }

    /**
     * Sets whether the request named this machine as loopback, which pages of other sites cannot do, or has an
     * allowed origin.
     */
    void calledLoopback(boolean called) {
        set(CALLED_LOOPBACK, called);
    }

    /** Returns whether the peer is a proxy that sends a PROXY header before the bytes of its client. */
    boolean beginsWithProxyHeader() {
        return is(PROXIED) && context().proxies().protocol();
    }

    /** Returns whether each request reports its client in header fields. */
    boolean isForwarding() {
        return is(PROXIED) && !context().proxies().protocol();
    }

    /** Returns whether the connection of the peer to this server uses TLS. */
    public boolean isSecure() {
        return is(SECURE);
    }

    /**
     * Returns whether an https target is accepted: the connection uses TLS, or a trusted proxy may have terminated
     * TLS.
     */
    boolean servesHttps() {
        return is(SECURE | PROXIED);
    }

    /** Called when a handshake or an entitled request has identified the client. */
    void onKnown() {
        if (!isKnown()) {
            set(KNOWN, true);
            context().admission().onKnown(origin);
        }
    }

    boolean isKnown() {
        return is(KNOWN);
    }

    /** Returns whether the client is on this machine and is not a page of another origin. */
    public boolean isLoopback() {
        // A proxy on this machine may serve remote clients, so the client address that it reports must be loopback too.
        return is(LOOPBACK) && is(CALLED_LOOPBACK) && (!is(PROXIED) || is(CLIENT_ON_LOOPBACK));
    }

    /** Returns the subject of the client's certificate in the form of RFC 2253, or null without a certificate. */
    public @Nullable String certificateSubject() {
        return socket().certificateSubject();
    }

    /** Returns the rates that the client shares with all clients of its address. */
    public AddressShare address() {
        return origin.isUnknown() ? AddressShare.UNBOUNDED : origin;
    }

    /** Stops counting the connection. Called once, when it is closed. */
    void leave() {
        context().admission().leave(origin, isKnown(), context().nowNanos());
    }
}
