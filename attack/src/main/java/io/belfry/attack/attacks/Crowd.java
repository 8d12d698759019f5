package io.belfry.attack.attacks;

import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Many connections at once. Closing it ends half of them with a reset. Owner: the attacking thread. */
final class Crowd implements AutoCloseable {
    private final List<Wire> wires = new ArrayList<>();
    private int refused;

    /** How one of them comes about. */
    interface Opening {
        Wire open() throws IOException;
    }

    /** One more, if the server takes it. */
    void add(Opening opening) {
        try {
            wires.add(opening.open());
        } catch (IOException e) {
            refused++;
        }
    }

    int size() {
        return wires.size();
    }

    /** Connections that did not come about. */
    int refused() {
        return refused;
    }

    Wire get(int index) {
        return wires.get(index);
    }

    /** Those that the server has not ended, as far as one has looked. */
    void forEachOpen(Consumer<Wire> action) {
        for (Wire wire : wires) {
            if (!wire.isEnded()) {
                action.accept(wire);
            }
        }
    }

    /** Looks at all and counts those that the server has not ended. */
    int open() {
        int open = 0;
        for (Wire wire : wires) {
            if (!wire.poll().isEnded()) {
                open++;
            }
        }
        return open;
    }

    @Override
    public void close() {
        for (int i = 0; i < wires.size(); i++) {
            if (i % 2 == 0) {
                wires.get(i).close();
            } else {
                wires.get(i).reset();
            }
        }
    }
}
