package io.belfry.clients.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes lines of the driver protocol, with the faults of a negative control if asked. Any thread. */
final class ProtocolOutput {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Faults in a stream of messages that the suite must detect. */
    enum Fault {
        NONE,
        /** One message in {@link #EVERY} is not written. */
        DROP,
        /** One message in {@link #EVERY} is written twice. */
        DOUBLE,
        /** One message in {@link #EVERY} is written after its successor of the same subject. */
        REORDER,
        /** The client reconnects without pauses. */
        EAGER;

        static final int EVERY = 1000;
    }

    private final PrintStream out;
    private final Fault fault;
    private long messages;
    private @Nullable ObjectNode held;

    ProtocolOutput(PrintStream out, Fault fault) {
        this.out = out;
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }

    static ObjectNode line(String op) {
        return JSON.createObjectNode().put("op", op);
    }

    /** Writes a line as it is. */
    synchronized void write(ObjectNode line) {
        try {
            byte[] text = (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
            out.write(text, 0, text.length);
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a message, unless the fault says otherwise. */
    synchronized void message(ObjectNode message) {
        messages++;
        for (ObjectNode each : withFault(message, messages % Fault.EVERY == 0)) {
            write(each);
        }
    }

    private List<ObjectNode> withFault(ObjectNode message, boolean due) {
        List<ObjectNode> lines = new ArrayList<>();
        if (due && fault == Fault.REORDER && held == null) {
            held = message;
            return lines;
        }
        if (!due || fault != Fault.DROP) {
            lines.add(message);
        }
        if (due && fault == Fault.DOUBLE) {
            lines.add(message);
        }
        if (held != null && succeeds(message, held)) {
            lines.add(held);
            held = null;
        }
        return lines;
    }

    private static boolean succeeds(ObjectNode message, ObjectNode before) {
        return message.path("client").equals(before.path("client"))
                && message.path("subject").equals(before.path("subject"));
    }
}
