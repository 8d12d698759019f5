package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The clients of one loop, whatever they do: opens them along the ramp, knows who is ready and who stands, ends them.
 * Owner: the loop.
 */
final class LoopClients<C extends LoadClient> {
    /** Makes the clients and gives them their work. */
    interface Kind<C extends LoadClient> {
        C make(int index, long begunNanos);

        Route route(C client);

        /** Whether the run goes on although this client could not be made ready; if so, this is all that is said of it. */
        default boolean goesOnWithout(C client, Ending ending) {
            return false;
        }

        /** A client that was ready has ended, and nobody here wished it. */
        void broken(C client, Ending ending);
    }

    private final Fleet fleet;
    private final ClientLoop loop;
    private final Kind<C> kind;
    private final Figures figures;
    private final List<C> clients;
    private final ConnectRamp ramp;
    private int ready;
    private int standing;
    private boolean finishing;

    LoopClients(Fleet fleet, ClientLoop loop, Kind<C> kind, Figures figures, RampSchedule schedule) {
        this.fleet = fleet;
        this.loop = loop;
        this.kind = kind;
        this.figures = figures;
        this.clients = new ArrayList<>(schedule.clients());
        this.ramp = new ConnectRamp(loop, schedule, index -> connect(index, false), fleet::failed);
    }

    void begin() {
        ramp.start();
    }

    private void connect(int index, boolean again) {
        C client = kind.make(index, loop.clock().getAsLong());
        client.again = again;
        if (index < clients.size()) {
            clients.set(index, client);
        } else {
            clients.add(client);
        }
        loop.connect(kind.route(client), client);
    }

    /** Once more, after this stay has ended. */
    void connectAgain(C before) {
        if (!finishing) {
            connect(before.index, before.again || before.ready);
        }
    }

    /** The server has answered what the client was waiting for. */
    void ready(C client, long nowNanos) {
        client.ready = true;
        standing++;
        figures.connects().record(nowNanos - client.begunNanos);
        figures.counts().add(Count.CONNECTS);
        if (!client.again) {
            ready++;
            if (ramp.ready()) {
                fleet.loopReady();
            }
        }
    }

    /** To be told of every ending. */
    void ended(C client, Ending ending) {
        client.connection = null;
        standing -= client.ready ? 1 : 0;
        if (finishing) {
            return;
        }
        if (client.ready) {
            kind.broken(client, ending);
        } else if (!kind.goesOnWithout(client, ending)) {
            ramp.ended(client.index, ending);
        }
    }

    C get(int index) {
        return clients.get(index);
    }

    void forEach(Consumer<C> action) {
        clients.forEach(action);
    }

    /** Those whose connection stands. */
    void forEachOpen(Consumer<Connection> action) {
        for (C client : clients) {
            if (client.connection != null) {
                action.accept(client.connection);
            }
        }
    }

    void finish() {
        finishing = true;
        ramp.stop();
        forEachOpen(Connection::finish);
    }

    int ready() {
        return ready;
    }

    int standing() {
        return standing;
    }
}
