package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Random32;
import io.belfry.client.connection.Route;
import io.belfry.protocol.ClientEncoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The publishers of one loop: how they come, begin, end and go. Owner: the loop. */
final class PublisherLoop implements FleetLoop, LoopClients.Kind<Publisher> {
    /** Ids of publishes count up from 1; this one answers "ready?" and "all done?". */
    private static final long PING_ID = 0;

    private final PublisherFleet fleet;
    private final PublisherOptions options;
    private final ClientLoop loop;
    private final Figures figures = new Figures();
    private final PublisherEvents events;
    private final LoopClients<Publisher> clients;
    private final LoopLag lag;
    private final Payloads payloads;
    private final Streams streams;
    private final PublishSchedule schedule;
    private final EndMarks endMarks;
    private final ClientEncoding encoding;
    private final ByteBuf command = Unpooled.buffer(64);
    private boolean ending;
    private int pongsOpen;

    PublisherLoop(PublisherFleet fleet, PublisherOptions options, ClientLoop loop, int first, int count) {
        this.fleet = fleet;
        this.options = options;
        this.loop = loop;
        this.encoding = options.target().webSocketEncoding();
        this.events = new PublisherEvents(this, options, figures, fleet.surprises());
        double share = (double) count / options.publishers();
        this.clients = new LoopClients<>(
                fleet,
                loop,
                this,
                figures,
                new RampSchedule(count, options.target().connectRate() * share, ConnectRamp.ANSWERS_OPEN_MAX));
        this.lag = new LoopLag(loop, figures);
        Random32 random = new Random32(System.nanoTime());
        this.payloads = new Payloads(options.messageSize(), random);
        this.streams = new Streams(count, options.subjects().size());
        Outbox outbox = new Outbox(options, first, payloads);
        double perSecond = options.perSecond() * share;
        this.schedule = new PublishSchedule(
                loop,
                new Pacer(perSecond, options.burst(), PublisherFleet.TICK_NANOS),
                streams,
                outbox,
                clients,
                figures,
                random);
        this.endMarks = new EndMarks(
                loop,
                streams,
                clients,
                outbox,
                figures.counts(),
                perSecond,
                (int) (options.endMarksMax() * share),
                this::askWhetherAllIsSeen);
    }

    @Override
    public ClientLoop loop() {
        return loop;
    }

    PublisherEvents events() {
        return events;
    }

    LoopClients<Publisher> clients() {
        return clients;
    }

    @Override
    public void begin() {
        lag.start();
        clients.begin();
    }

    @Override
    public Publisher make(int index, long begunNanos) {
        return new Publisher(this, index, begunNanos);
    }

    @Override
    public Route route(Publisher publisher) {
        return options.target().publishing(publisher.index);
    }

    /** Over WebSocket a pong says that the server takes commands from this client; over HTTP the first answer will. */
    void opened(Publisher publisher, Connection connection) {
        if (options.target().transport() == Transport.WEBSOCKET) {
            ping(connection);
        } else {
            clients.ready(publisher, loop.clock().getAsLong());
        }
    }

    private void ping(Connection connection) {
        encoding.ping(command.clear(), PING_ID);
        connection.send(command, options.target().webSocketBinary());
    }

    void pong(Publisher publisher, long nanos) {
        if (publisher.ready) {
            pongsOpen--;
        } else {
            clients.ready(publisher, nanos);
        }
    }

    /** Begins the schedule. */
    void publish() {
        schedule.start();
    }

    /** Ends the schedule, says so to the subscribers and asks each server whether it has seen everything. */
    void settle() {
        schedule.stop();
        ending = true;
        pongsOpen = 0;
        endMarks.begin(schedule.startNanos());
    }

    private void askWhetherAllIsSeen() {
        if (options.target().transport() == Transport.WEBSOCKET) {
            clients.forEachOpen(connection -> {
                pongsOpen++;
                ping(connection);
            });
        }
        ending = false;
    }

    void roomMade() {
        schedule.roomMade();
    }

    /** How many streams got no end marks, because there are too many of them. */
    long streamsWithoutEndMark() {
        return endMarks.leftOut() ? streams.used() : 0;
    }

    @Override
    public void broken(Publisher publisher, Ending how) {
        figures.counts().add(Count.DISCONNECTIONS);
        failed("a publisher's connection ended: " + how.sentence());
    }

    void failed(String sentence) {
        fleet.failed(sentence);
    }

    @Override
    public FleetState state() {
        long[] open = {pongsOpen + endMarks.left() + (ending ? 1 : 0)};
        clients.forEach(publisher -> open[0] += publisher.acks.open());
        return new FleetState(clients.ready(), clients.standing(), open[0]);
    }

    @Override
    public Figures figures() {
        return figures;
    }

    @Override
    public void measure(boolean on) {
        schedule.measure(on);
        events.measure(on);
    }

    @Override
    public void clock(ClockOffset offset) {
        payloads.clock(offset);
    }

    long[] acknowledgedOfSubject() {
        return events.acknowledgedOfSubject();
    }

    @Override
    public void finish() {
        schedule.stop();
        lag.stop();
        clients.finish();
    }
}
