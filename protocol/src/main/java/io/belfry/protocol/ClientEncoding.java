package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes commands, on the client's side. Each method appends one complete payload to {@code out}; the WebSocket code of
 * the client masks and frames it. An id of {@link CommandHandler#NO_ID} is omitted. Implementations are stateless.
 */
public interface ClientEncoding {
    /** Returns the name of the encoding in {@code Sec-WebSocket-Protocol}. */
    String subprotocol();

    /** Appends the command that presents a token, or requests facts or properties of the session. */
    void connect(ByteBuf out, long id, ConnectRequest request);

    /** Appends the command that subscribes. */
    void subscribe(ByteBuf out, long id, SubscribeRequest request);

    /** Appends the command that ends subscriptions. */
    void unsubscribe(ByteBuf out, long id, List<byte[]> subjects);

    /** Appends the command that publishes the readable bytes of {@code data}, whose indices do not change. */
    void publish(ByteBuf out, long id, byte[] subject, ByteBuf data, PublishTerms terms);

    /** Appends a publish without headers. */
    default void publish(ByteBuf out, long id, byte[] subject, ByteBuf data, boolean retain, @Nullable String msgId) {
        publish(out, id, subject, data, PublishTerms.of(retain, msgId));
    }

    /** Appends a publish without options. */
    default void publish(ByteBuf out, long id, byte[] subject, ByteBuf data) {
        publish(out, id, subject, data, PublishTerms.PLAIN);
    }

    /** Appends the command that the server answers with a pong. */
    void ping(ByteBuf out, long id);

    /** Appends the command that asks for notices of interest in a subject. */
    void watch(ByteBuf out, long id, byte[] subject);

    /** Appends the command that ends the notices of interest in a subject. */
    void unwatch(ByteBuf out, long id, byte[] subject);
}
