package io.belfry.server.transport;

import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.entitlement.Principal;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * The current request of a connection, for the handler of its {@link HttpEndpoint}. The handler authenticates the client, reads
 * the body, and then answers, begins a call, or changes the connection to another protocol. Owner: the loop.
 */
interface EndpointExchange {
    /** Returns the objects that the connections of the loop share. */
    LoopContext context();

    /** Returns the connection, for a phase that follows HTTP. */
    Connection connection();

    /** Returns the answer to the current request. */
    HttpAnswer answer();

    /** Authenticates the client, marks the connection as known, and passes on the principal. */
    void admit(HttpRequest request, Consumer<Principal> then);

    /** Authenticates the client, and passes on the principal; refuses the request if the client is not accepted. */
    void authenticate(HttpRequest request, Consumer<Principal> then);

    /**
     * Reads the body of the current request, and passes it on when it is complete; the content is valid during the call.
     * The handler calls this method, so the body is read only if the client is permitted to send it.
     */
    void receive(HttpRequest request, int bytesMax, Consumer<ByteBuf> receiver);

    /** Skips the body of the current request, or makes the request the last one of its connection. */
    void skipBody(HttpRequest request);

    /** Returns the session of the connection's calls. */
    ApiSession api();

    /** Ends the session of calls, before the connection gets one of another protocol. */
    void endApi();

    /** Answers a WebSocket handshake, and changes the phase to the protocol of its subprotocol. */
    void beginWebSocket(HandshakeResult.Accepted accepted, Principal principal);

    /** Answers a WebSocket handshake; {@link #become} follows. */
    void accept(HandshakeResult.Accepted accepted);

    /** Changes the phase, and resumes reading if it was paused during the decision. */
    void become(Phase next);
}
