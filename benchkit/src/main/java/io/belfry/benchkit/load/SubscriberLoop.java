package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockComparison;
import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Findings;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The subscribers of one loop: how they come, subscribe, stay, stall and go. Owner: that loop. */
final class SubscriberLoop implements FleetLoop, LoopClients.Kind<Subscriber> {
    /** Subjects of one subscribe command: some 32 KB at the longest, within any server's bound. */
    private static final int SUBJECTS_PER_COMMAND = 128;

    private final SubscriberFleet fleet;
    private final SubscriberOptions options;
    private final ClientLoop loop;
    private final int firstClient;
    private final Figures figures = new Figures();
    private final SubscriberEvents events;
    private final LoopClients<Subscriber> clients;
    private final StalledReaders stalled;
    private final LoopLag lag;
    private final ClientEncoding encoding;
    private final ByteBuf command = Unpooled.buffer(1024);

    /** Null where clients stay to the end. */
    private final @Nullable Churn churn;

    SubscriberLoop(SubscriberFleet fleet, SubscriberOptions options, ClientLoop loop, int firstClient, int count) {
        this.fleet = fleet;
        this.options = options;
        this.loop = loop;
        this.firstClient = firstClient;
        this.encoding = options.target().webSocketEncoding();
        this.events = new SubscriberEvents(this, options, figures, fleet.surprises());
        double rate = options.target().connectRate() * count / options.clients();
        this.clients = new LoopClients<>(
                fleet, loop, this, figures, new RampSchedule(count, rate, ConnectRamp.ANSWERS_OPEN_MAX));
        this.churn = options.holdTime() == null
                ? null
                : new Churn(loop, clients, options.holdTime(), count, figures.counts(), fleet);
        this.stalled = new StalledReaders(loop, clients, options, figures.counts());
        this.lag = new LoopLag(loop, figures);
    }

    @Override
    public ClientLoop loop() {
        return loop;
    }

    StalledReaders stalled() {
        return stalled;
    }

    SubscriberEvents events() {
        return events;
    }

    LoopClients<Subscriber> clients() {
        return clients;
    }

    @Override
    public void begin() {
        lag.start();
        clients.begin();
    }

    @Override
    public Subscriber make(int index, long begunNanos) {
        int client = firstClient + index;
        return new Subscriber(this, index, client, options.assignment().of(client), options.verify(), begunNanos);
    }

    @Override
    public Route route(Subscriber subscriber) {
        return options.target().subscribing(subscriber.index, options.subjects(), subscriber.subjects);
    }

    /** The connection is open: asks for all its subjects, unless the request for it has. Each is answered by itself. */
    void subscribe(Subscriber subscriber, Connection connection) {
        if (options.target().transport() != Transport.WEBSOCKET) {
            return;
        }
        int[] subjects = subscriber.subjects;
        for (int from = 0; from < subjects.length; from += SUBJECTS_PER_COMMAND) {
            List<byte[]> some = new ArrayList<>();
            for (int i = from; i < Math.min(from + SUBJECTS_PER_COMMAND, subjects.length); i++) {
                some.add(options.subjects().copy(subjects[i]));
            }
            encoding.subscribe(command.clear(), from + 1L, new SubscribeRequest(some, null, 0, 0));
            connection.send(command, options.target().webSocketBinary());
        }
    }

    void ready(Subscriber subscriber, long nanos) {
        clients.ready(subscriber, nanos);
        if (churn != null) {
            churn.hold(subscriber);
        }
    }

    /** Before it was ready, a client got an error instead of a subscription. */
    void refused(String sentence) {
        fleet.failed(sentence);
    }

    @Override
    public boolean goesOnWithout(Subscriber subscriber, Ending ending) {
        return churn != null && churn.goesOnWithout(subscriber, ending);
    }

    @Override
    public void broken(Subscriber subscriber, Ending ending) {
        if (subscriber.stalled) {
            stalled.disconnected(subscriber);
        } else if (churn == null) {
            figures.counts().add(Count.DISCONNECTIONS);
            fleet.surprises().add("connection ended: " + ending.sentence());
        } else {
            churn.ended(subscriber, ending);
        }
    }

    /** From now on ever fewer clients come back; see {@link Churn}. */
    void rampDown(long nanos) {
        if (churn != null) {
            churn.rampDown(nanos);
        }
    }

    @Override
    public FleetState state() {
        return new FleetState(clients.ready(), clients.standing(), events.withoutEnd());
    }

    @Override
    public Figures figures() {
        return figures;
    }

    @Override
    public void measure(boolean on) {
        events.measure(on);
    }

    @Override
    public void clock(ClockOffset own) {
        events.clock(own);
    }

    Findings findings() {
        return events.findings();
    }

    ClockComparison clocks() {
        ClockComparison comparison = new ClockComparison();
        events.compareClocks(comparison);
        return comparison;
    }

    @Override
    public void finish() {
        lag.stop();
        clients.finish();
    }

    long expected(long[] messagesOfSubject) {
        long[] sum = new long[1];
        clients.forEach(subscriber -> {
            for (int subject : subscriber.subjects) {
                sum[0] += messagesOfSubject[subject];
            }
        });
        return sum[0];
    }

    long missing(long[] messagesOfSubject) {
        long[] sum = new long[1];
        clients.forEach(subscriber -> {
            for (int slot = 0; slot < subscriber.subjects.length; slot++) {
                long came = subscriber.check == null ? 0 : subscriber.check.distinctMessages(slot);
                sum[0] += Math.max(0, messagesOfSubject[subscriber.subjects[slot]] - came);
            }
        });
        return sum[0];
    }
}
