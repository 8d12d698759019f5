package io.belfry.plan.model;

import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Machine;
import java.util.ArrayList;
import java.util.List;

/** What goes over one node's network card, both ways, down to the wire. Immutable. */
final class NetworkUse {
    private static final double BITS = 8;

    private final Ingredients in;
    private final Machine machine;

    NetworkUse(Ingredients in, Machine machine) {
        this.in = in;
        this.machine = machine;
    }

    Usage out(Situation at) {
        List<Term> terms = new ArrayList<>();
        terms.add(bits("deliveries", deliveries(at), delivered()));
        terms.add(bits("pings", pings(at), in.factor(Factor.WIRE_PACKET)));
        terms.add(bits("answers to publishers", at.published(), in.factor(Factor.WIRE_PACKET)));
        if (at.linked()) {
            terms.add(bits("publishes to Kafka", at.published(), record()));
        }
        return new Usage(Resource.NETWORK_OUT, terms, limit());
    }

    Usage in(Situation at) {
        List<Term> terms = new ArrayList<>();
        terms.add(bits("acknowledgements by TCP", deliveries(at), in.factor(Factor.WIRE_PACKET)));
        terms.add(bits("pongs", pings(at), in.factor(Factor.WIRE_PACKET)));
        terms.add(bits("publishes", at.published(), onWire(in.factor(Factor.WIRE_BINARY))));
        if (at.linked()) {
            terms.add(bits("reading from Kafka", at.read(), record()));
        }
        return new Usage(Resource.NETWORK_IN, terms, limit());
    }

    private Value deliveries(Situation at) {
        return at.sessions().times(in.rate());
    }

    private Value pings(Situation at) {
        return at.sessions().over(in.ping());
    }

    /** What one record takes between a node and a broker: there messages travel together, without packets of their own. */
    Value record() {
        return in.size().plus(in.subject()).plus(in.factor(Factor.LOG_RECORD));
    }

    private Value delivered() {
        double streams = in.load().streams();
        double json = (1 - streams) * in.load().json();
        Value frame = null;
        frame = share(frame, "binary", 1 - streams - json, Factor.WIRE_BINARY);
        frame = share(frame, "json", json, Factor.WIRE_JSON);
        frame = share(frame, "http", streams, Factor.WIRE_STREAM);
        return onWire(frame == null ? in.factor(Factor.WIRE_BINARY) : frame);
    }

    private @org.jspecify.annotations.Nullable Value share(
            @org.jspecify.annotations.Nullable Value sum, String name, double share, Factor factor) {
        if (share <= 0) {
            return sum;
        }
        Value mine = share == 1
                ? in.factor(factor)
                : Value.of(name, share, Unit.SHARE).times(in.factor(factor));
        return sum == null ? mine : sum.plus(mine);
    }

    /** A message in as many packets as it takes. */
    private Value onWire(Value frame) {
        Value bytes = in.size().plus(in.subject()).plus(frame);
        if (in.load().encrypted() > 0) {
            bytes = bytes.plus(in.encrypted().times(in.factor(Factor.WIRE_TLS)));
        }
        double packets =
                Math.ceil(bytes.amount() / in.factor(Factor.PACKET_DATA).amount());
        return bytes.plus(Value.of("packets", packets, Unit.COUNT).times(in.factor(Factor.WIRE_PACKET)));
    }

    private static Term bits(String name, Value perSecond, Value bytes) {
        return new Term(name, perSecond.times(bytes).times(Value.number(BITS)), Unit.BITS_PER_SECOND);
    }

    private Term limit() {
        return new Term(
                "limit",
                Value.of("bandwidth", machine.bitsPerSecond(), Unit.BITS_PER_SECOND)
                        .times(Value.of("busy", machine.busy(), Unit.SHARE)),
                Unit.BITS_PER_SECOND);
    }
}
