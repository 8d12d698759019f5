package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Many connections of one attack. Closing the group resets every second one. Owner: the attacking thread. */
final class ConnectionGroup implements AutoCloseable {
    final List<AttackConnection> connections = new ArrayList<>();

    /** Number of connections that the server refused. */
    int refused;

    /** Opens one connection. */
    interface Opening {
        AttackConnection open() throws IOException;
    }

    /** Adds a connection; one that the server refuses is counted. */
    void add(Opening opening) {
        try {
            require(opening);
        } catch (IOException e) {
            refused++;
        }
    }

    /** Adds this many connections; those that the server refuses are counted. */
    void add(int count, Opening opening) {
        for (int i = 0; i < count; i++) {
            add(opening);
        }
    }

    /** Adds and returns a connection; throws if the server refuses it. */
    AttackConnection require(Opening opening) throws IOException {
        connections.add(opening.open());
        return connections.getLast();
    }

    int size() {
        return connections.size();
    }

    /** Reads from all connections and returns how many the server has not closed. */
    int open() {
        return (int) connections.stream()
                .filter(connection -> !connection.poll().isEnded())
                .count();
    }

    @Override
    public void close() {
        for (int i = 0; i < connections.size(); i += 2) {
            connections.get(i).reset();
        }
        connections.forEach(AttackConnection::close);
    }
}
