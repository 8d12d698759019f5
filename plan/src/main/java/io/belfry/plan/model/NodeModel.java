package io.belfry.plan.model;

import java.util.List;
import java.util.stream.Stream;

/** Computes what one node needs of each resource. Immutable. */
final class NodeModel {
    private static final double MILLION = 1e6;
    private static final double BILLION = 1e9;
    static final Formula BITS = Formula.constant(8);

    /** Heap below which a server does not run well. */
    private static final double HEAP_MIN = 64 << 20;

    /** Files beside those of the sessions: listening sockets, logs, jars, connections to brokers. */
    private static final double OTHER_FILES = 512;

    private final PlanInputs inputs;
    private final Coefficients coefficients;
    private final boolean encrypted;
    private final Formula size;
    private final Formula subject;
    private final Formula tls;
    private final Formula http;

    NodeModel(PlanInputs inputs, Coefficients coefficients) {
        this.inputs = inputs;
        this.coefficients = coefficients;
        encrypted = inputs.of(PlanOption.TLS) > 0;
        size = in(PlanOption.SIZE);
        subject = Formula.of("subject", inputs.of(PlanOption.SUBJECT_BYTES), Unit.BYTES);
        tls = in(PlanOption.TLS);
        http = in(PlanOption.HTTP);
    }

    /** Returns the use of each resource by the fullest of this many nodes. */
    List<Usage> usages(long nodes) {
        return usages(NodeLoad.fullest(inputs, nodes));
    }

    List<Usage> usages(NodeLoad at) {
        return List.of(memory(at), cpu(at), networkOut(at), networkIn(at), reconnects(at), files(at));
    }

    private Formula in(PlanOption option) {
        return Formula.of(inputs, option);
    }

    private Formula factor(String coefficient) {
        return Formula.of(coefficients.of(coefficient));
    }

    private Usage memory(NodeLoad at) {
        Formula socket = factor("kernel-socket").plus(in(PlanOption.SLOW).times(factor("kernel-unread")));
        return Usage.of(Resource.MEMORY, in(PlanOption.MEMORY).times(in(PlanOption.MEMORY_SHARE)))
                .with(Plan.HEAP, heap(at))
                .with(Plan.HISTORY, history(at))
                .with("JVM", factor("native-jvm"))
                .with("TLS engines", at.sessions().times(tls).times(factor("native-tls")))
                .with("sockets", at.sessions().times(socket));
    }

    /** Returns the value for {@code Memory}: live objects and room for the collector. */
    private Formula heap(NodeLoad at) {
        Formula each =
                factor("heap-session").plus(http.times(factor("heap-stream"))).plus(tls.times(factor("heap-tls")));
        double more = inputs.of(PlanOption.SUBJECTS_PER_CLIENT) - 1;
        if (more > 0) {
            each = each.plus(Formula.of("more-subjects", more, Unit.COUNT).times(factor("heap-subscription")));
        }
        return at.sessions()
                .times(each)
                .over(factor("heap-fill"))
                .atLeast(Formula.of("least-heap", HEAP_MIN, Unit.BYTES));
    }

    /** Returns the value for {@code CacheMemory}, by the formula of docs/operations.md. */
    private Formula history(NodeLoad at) {
        double loops = Math.ceil(inputs.of(PlanOption.CORES));
        Formula lanes = Formula.of("loops", loops, Unit.COUNT).times(factor("history-lane"));
        return !inputs.keepsHistory()
                ? lanes
                : keptMessages(at)
                        .times(factor("history-message").plus(size))
                        .times(factor("history-room"))
                        .plus(lanes);
    }

    /** A node that reads everything from Kafka also keeps everything, whatever its sessions subscribe to. */
    private Formula keptMessages(NodeLoad at) {
        Formula recent = received(at).times(in(PlanOption.HISTORY));
        double subjects = inputs.of(PlanOption.CLIENTS)
                * inputs.of(PlanOption.SUBJECTS_PER_CLIENT)
                / inputs.of(PlanOption.FAN_OUT);
        Formula bySubject = Formula.of("all-subjects", subjects, Unit.COUNT).times(in(PlanOption.CACHE_SIZE));
        return recent.amount() <= bySubject.amount() ? recent : recent.atMost(bySubject);
    }

    private static Formula received(NodeLoad at) {
        return at.linked() ? at.read() : at.published();
    }

    private Usage cpu(NodeLoad at) {
        Formula deliveries = deliveries(at);
        Formula newSessions = at.sessions().times(in(PlanOption.NEW_SESSIONS));
        // With many messages, requests to Kafka do not become more frequent but larger: their cost has a maximum.
        Formula requests = cores(at.published(), "cpu-log-request").atMost(factor("cpu-log-requests"));
        Formula fetches = cores(at.read(), "cpu-log-fetch").atMost(factor("cpu-log-fetches"));
        return Usage.of(Resource.CPU, in(PlanOption.CORES).times(in(PlanOption.BUSY)))
                .with("deliveries", cores(deliveries, "cpu-delivery"))
                .withIf(http.amount() > 0, "HTTP streams", cores(deliveries.times(http), "cpu-stream"))
                .withIf(encrypted, "TLS records", cores(deliveries.times(tls), "cpu-tls-record"))
                .with("publishes", cores(at.published(), "cpu-publish"))
                .withIf(at.linked(), "publishes to Kafka", cores(at.published(), "cpu-log-write"))
                .withIf(at.linked(), "reading from Kafka", cores(at.read(), "cpu-log-read"))
                .withIf(at.linked(), "requests to Kafka", requests)
                .withIf(at.linked(), "fetches from Kafka", fetches)
                .withIf(inputs.keepsHistory(), "history", cores(received(at), "cpu-history"))
                .with("pings", cores(pings(at), "cpu-ping"))
                .withIf(newSessions.amount() > 0, "new sessions", cores(newSessions, connectMicros(), MILLION))
                .with("idle server", factor("cpu-base"));
    }

    private Formula deliveries(NodeLoad at) {
        return at.sessions().times(in(PlanOption.RATE));
    }

    private Formula pings(NodeLoad at) {
        return at.sessions().over(in(PlanOption.PING));
    }

    /** Returns the cores for this many operations per second. */
    Formula cores(Formula perSecond, String coefficient) {
        double unitsPerSecond = coefficients.of(coefficient).unit() == Unit.NANOS ? BILLION : MILLION;
        return cores(perSecond, factor(coefficient), unitsPerSecond);
    }

    private static Formula cores(Formula perSecond, Formula time, double unitsPerSecond) {
        return perSecond.times(time).withAmount(perSecond.amount() * time.amount() / unitsPerSecond);
    }

    private Formula connectMicros() {
        Formula plain = factor("cpu-connect");
        return encrypted ? plain.plus(tls.times(factor("cpu-tls-handshake"))) : plain;
    }

    /** The limit is what processors can accept beside normal work, and the server's own limit. */
    private Usage reconnects(NodeLoad at) {
        return Usage.of(Resource.RECONNECTS, acceptable(at)).with("sessions of failed nodes", at.reconnects());
    }

    /** Returns the new sessions per second that the node can accept. */
    private Formula acceptable(NodeLoad at) {
        Formula ordinary = Formula.of("ordinary", cpu(at).needed(), Unit.CORES);
        Formula spare = in(PlanOption.CORES).times(in(PlanOption.PEAK)).minus(ordinary);
        Formula each = connectMicros();
        Formula perSecond = spare.over(each).withAmount(Math.max(0, spare.amount()) * MILLION / each.amount());
        double most = inputs.of(PlanOption.CONNECT_RATE);
        return most > 0 ? perSecond.atMost(Formula.of("connect-rate", most, Unit.PER_SECOND)) : perSecond;
    }

    private Usage networkOut(NodeLoad at) {
        Formula packet = factor("wire-packet");
        return Usage.of(Resource.NETWORK_OUT, bandwidth())
                .with("deliveries", bits(deliveries(at), onWire(deliveredFrame())))
                .with("pings", bits(pings(at), packet))
                .with("answers to publishers", bits(at.published(), packet))
                .withIf(at.linked(), "publishes to Kafka", bits(at.published(), record()));
    }

    private Usage networkIn(NodeLoad at) {
        Formula packet = factor("wire-packet");
        return Usage.of(Resource.NETWORK_IN, bandwidth())
                .with("acknowledgements by TCP", bits(deliveries(at), packet))
                .with("pongs", bits(pings(at), packet))
                .with("publishes", bits(at.published(), onWire(factor("wire-binary"))))
                .withIf(at.linked(), "reading from Kafka", bits(at.read(), record()));
    }

    /** Returns the bytes of a record between node and broker, where records share packets. */
    Formula record() {
        return size.plus(subject).plus(factor("log-record"));
    }

    /** Returns the bytes that frame a delivered message, averaged over the kinds of sessions. */
    private Formula deliveredFrame() {
        double streams = http.amount();
        double json = (1 - streams) * inputs.of(PlanOption.JSON_SESSIONS);
        return Stream.of(
                        frames("binary", 1 - streams - json, "wire-binary"),
                        frames("json", json, "wire-json"),
                        frames("http", streams, "wire-stream"))
                .flatMap(terms -> terms)
                .reduce(Formula::plus)
                .orElseThrow();
    }

    /** Returns no term for kinds of sessions that do not exist. */
    private Stream<Formula> frames(String kind, double share, String bytes) {
        Formula all = factor(bytes);
        Formula part = share == 1 ? all : Formula.of(kind, share, Unit.SHARE).times(all);
        return share <= 0 ? Stream.empty() : Stream.of(part);
    }

    /** Returns the bytes of a framed message with the packets that carry it. */
    private Formula onWire(Formula frame) {
        Formula plain = size.plus(subject).plus(frame);
        Formula bytes = encrypted ? plain.plus(tls.times(factor("wire-tls"))) : plain;
        double packets = Math.ceil(bytes.amount() / factor("packet-data").amount());
        return bytes.plus(Formula.of("packets", packets, Unit.COUNT).times(factor("wire-packet")));
    }

    private static Formula bits(Formula perSecond, Formula bytes) {
        return perSecond.times(bytes).times(BITS);
    }

    private Formula bandwidth() {
        return Formula.of("bandwidth", inputs, PlanOption.NETWORK).times(in(PlanOption.BUSY));
    }

    private Usage files(NodeLoad at) {
        return Usage.of(Resource.OPEN_FILES, in(PlanOption.OPEN_FILES))
                .with("connections", at.sessions().plus(Formula.of("own-files", OTHER_FILES, Unit.COUNT)));
    }
}
