package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a client says. Every method appends one complete payload to {@code out}; masking and framing are the
 * client's WebSocket library's. An id of {@link CommandHandler#NO_ID} is left out. Implementations are stateless.
 */
public interface ClientEncoding {
    /** What to ask for in {@code Sec-WebSocket-Protocol}. */
    String subprotocol();

    void connect(ByteBuf out, long id, @Nullable String token);

    void subscribe(ByteBuf out, long id, SubscribeRequest request);

    void unsubscribe(ByteBuf out, long id, List<byte[]> subjects);

    /** Publishes the readable bytes of {@code data}, whose indices stay where they are. */
    void publish(ByteBuf out, long id, byte[] subject, ByteBuf data, boolean retain, @Nullable String msgId);

    default void publish(ByteBuf out, long id, byte[] subject, ByteBuf data) {
        publish(out, id, subject, data, false, null);
    }

    void ping(ByteBuf out, long id);

    void watch(ByteBuf out, long id, byte[] subject);

    void unwatch(ByteBuf out, long id, byte[] subject);
}
