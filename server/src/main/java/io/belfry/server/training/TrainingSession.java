package io.belfry.server.training;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A WebSocket session of the training in one of the two encodings. Owner: one thread. */
final class TrainingSession implements AutoCloseable {
    /** Data of a message, with characters that JSON escapes and others that it does not. */
    static final String DATA = "{\"price\":101.25,\"size\":300,\"venue\":\"Zürich\"}" + "x".repeat(150);

    private static final String QUOTED = DATA.replace("\"", "\\\"");
    private static final int SUBSCRIBE = 2;
    private static final int UNSUBSCRIBE = 3;
    private static final int PUBLISH = 4;
    private static final int PING = 6;
    private static final int MESSAGE = 0x80;
    private static final int WITH_ID = 0x01;
    private static final int WITH_HISTORY = 0x04;
    private static final int HISTORY_COUNT = 5;

    private final TrainingConnection connection;
    private final boolean json;

    private TrainingSession(TrainingConnection connection, boolean json) {
        this.connection = connection;
        this.json = json;
    }

    static TrainingSession open(int port, boolean json) throws IOException {
        String subprotocol = json ? "belfry.json.v1" : "belfry.binary.v1";
        return new TrainingSession(TrainingConnection.webSocket(port, subprotocol), json);
    }

    /** Subscribes and waits for the answer. */
    void subscribe(String subject) throws IOException {
        if (json) {
            connection.text("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"" + subject + "\"}");
            connection.awaitText("\"op\":\"subscribed\"");
        } else {
            connection.binary(command(SUBSCRIBE, WITH_ID, subject, 1, ""));
            connection.awaitOp(SUBSCRIBE, SUBSCRIBE);
        }
    }

    /** Subscribes and waits for a message of the history. */
    void subscribeWithHistory(String subject) throws IOException {
        if (json) {
            connection.text("{\"op\":\"subscribe\",\"id\":1,\"history\":5,\"subject\":\"" + subject + "\"}");
            connection.awaitText("\"op\":\"message\"");
        } else {
            connection.binary(command(SUBSCRIBE, WITH_ID | WITH_HISTORY, subject, 1, ""));
            connection.awaitOp(MESSAGE, 0xff);
        }
    }

    void unsubscribe(String subject) throws IOException {
        if (json) {
            connection.text("{\"op\":\"unsubscribe\",\"id\":2,\"subject\":\"" + subject + "\"}");
            connection.awaitText("\"op\":\"unsubscribed\"");
        } else {
            connection.binary(command(UNSUBSCRIBE, WITH_ID, subject, 1, ""));
            connection.awaitOp(UNSUBSCRIBE, UNSUBSCRIBE);
        }
    }

    /** Publishes a message; the server answers it if it has an id. */
    void publish(String subject, boolean withId) throws IOException {
        if (json) {
            connection.text("{\"op\":\"publish\"," + (withId ? "\"id\":4," : "") + "\"subject\":\"" + subject
                    + "\",\"data\":\"" + QUOTED + "\"}");
        } else {
            connection.binary(command(PUBLISH, withId ? WITH_ID : 0, subject, 0, DATA));
        }
    }

    void awaitPublished() throws IOException {
        if (json) {
            connection.awaitText("\"op\":\"published\"");
        } else {
            connection.awaitOp(PUBLISH, PUBLISH);
        }
    }

    void awaitMessage() throws IOException {
        if (json) {
            connection.awaitText("\"op\":\"message\"");
        } else {
            connection.awaitOp(MESSAGE, 0xff);
        }
    }

    /** Sends a connect and a ping, and waits for their answers. */
    void greet() throws IOException {
        if (json) {
            connection.text("{\"op\":\"connect\",\"id\":8,\"ping\":30000}");
            connection.awaitText("\"op\":\"connected\"");
            connection.text("{\"op\":\"ping\",\"id\":9}");
            connection.awaitText("\"op\":\"pong\"");
        } else {
            connection.binary(new byte[] {PING, 0});
            connection.awaitOp(PING, PING);
        }
    }

    /** Returns a binary command: op, flags, id if there is one, history, count of subjects if there is one, subject, data. */
    private static byte[] command(int op, int flags, String subject, int count, String data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(op);
        out.write(flags);
        if ((flags & WITH_ID) != 0) {
            out.writeBytes(new byte[] {0, 0, 0, 0, 0, 0, 0, 4});
        }
        if ((flags & WITH_HISTORY) != 0) {
            out.writeBytes(new byte[] {0, 0, 0, HISTORY_COUNT});
        }
        if (count > 0) {
            out.write(0);
            out.write(count);
        }
        byte[] name = subject.getBytes(StandardCharsets.UTF_8);
        out.write(name.length);
        out.writeBytes(name);
        out.writeBytes(data.getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    /** Closes the session as a client does that leaves. */
    void leave() throws IOException {
        connection.leave();
        connection.close();
    }

    /** Resets the connection. */
    void reset() throws IOException {
        connection.reset();
    }

    /** Closes the connection without the close frame of a client that leaves. */
    @Override
    public void close() throws IOException {
        connection.close();
    }
}
