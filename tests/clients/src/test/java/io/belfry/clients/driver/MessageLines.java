package io.belfry.clients.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/**
 * Writes the messages and gaps of one subscription. Owner: the client's thread; {@link #awaitCall} and {@link #end} may
 * be called by any thread.
 */
final class MessageLines implements MessageListener {
    private final String client;
    private final String subscription;
    private final int throwsEvery;
    private final ProtocolOutput out;
    private int messages;
    private boolean ended;

    /** {@code throwsEvery}: every so many messages the listener throws an exception; 0 for never. */
    MessageLines(String client, String subscription, int throwsEvery, ProtocolOutput out) {
        this.client = client;
        this.subscription = subscription;
        this.throwsEvery = throwsEvery;
        this.out = out;
    }

    private ObjectNode line(String op, String subject) {
        return ProtocolOutput.line(op)
                .put("client", client)
                .put("sub", subscription)
                .put("subject", subject);
    }

    /** Returns when no call is running. */
    synchronized void awaitCall() {
        // Entering the monitor is enough.
    }

    /** Writes nothing from now on. A call may have begun, and not have entered the monitor yet. */
    synchronized void end() {
        ended = true;
    }

    @Override
    public synchronized void onMessage(Message message) {
        if (ended) {
            return;
        }
        ObjectNode line = line("message", message.subject())
                .put("position", message.position().toString())
                .put("type", message.type().name().toLowerCase(Locale.ROOT))
                .put("retained", message.retained());
        if (!message.headers().isEmpty()) {
            message.headers().forEach(line.putObject("headers")::put);
        }
        if (message.publisher() != null) {
            line.put("publisher", message.publisher());
        }
        out.message(withData(line, message.data()));
        messages++;
        if (throwsEvery > 0 && messages % throwsEvery == 0) {
            throw new IllegalStateException("a listener that throws");
        }
    }

    private static ObjectNode withData(ObjectNode line, byte[] data) {
        try {
            return line.put(
                    "text",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(data))
                            .toString());
        } catch (CharacterCodingException noText) {
            return line.put("base64", Base64.getEncoder().encodeToString(data));
        }
    }

    @Override
    public synchronized void onGap(Gap gap) {
        if (ended) {
            return;
        }
        ObjectNode line = line("gap", gap.subject());
        if (gap.from() != null) {
            line.put("from", gap.from().toString());
        }
        if (gap.to() != null) {
            line.put("to", gap.to().toString());
        }
        out.write(line.put("reason", gap.reason()));
    }
}
