package io.belfry.benchkit.load;

import io.belfry.client.connection.Connection;
import io.belfry.client.connection.HttpCalls;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.CommandHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** A publish as bytes of its transport. Owner: one loop. */
sealed interface PublishWire {
    static PublishWire of(PublisherOptions options) {
        return options.target().transport() == Transport.WEBSOCKET
                ? new Frames(options.target().webSocketEncoding(), options)
                : new Posts(options.target());
    }

    /** Whether every publish is answered, wished or not. */
    boolean alwaysAnswered();

    /** Adds a publish to {@code out}; the answer, if {@code id} asks for one, will carry it or come in its turn. */
    void append(Publisher publisher, Connection connection, ByteBuf out, long id, byte[] subject, ByteBuf payload);

    /** One command in a frame of a WebSocket. */
    record Frames(ClientEncoding encoding, ByteBuf command, boolean binary) implements PublishWire {
        Frames(ClientEncoding encoding, PublisherOptions options) {
            this(encoding, Unpooled.buffer(1024), options.target().webSocketBinary());
        }

        @Override
        public boolean alwaysAnswered() {
            return false;
        }

        @Override
        public void append(
                Publisher publisher, Connection connection, ByteBuf out, long id, byte[] subject, ByteBuf payload) {
            encoding.publish(command.clear(), id, subject, payload);
            connection.append(out, command, binary);
        }
    }

    /** One POST; many go out without waiting for the answers, which come in their order. */
    record Posts(Target target) implements PublishWire {
        private static final String PATH = "/publish?subject=";

        @Override
        public boolean alwaysAnswered() {
            return true;
        }

        @Override
        public void append(
                Publisher publisher, Connection connection, ByteBuf out, long id, byte[] subject, ByteBuf payload) {
            assert id != CommandHandler.NO_ID : "every POST is answered";
            HttpCalls calls = target.serverOf(publisher.index).calls();
            calls.post(out, PATH + Target.inQuery(new String(subject, StandardCharsets.UTF_8)), payload);
        }
    }
}
