package io.belfry.plan.model;

import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Retention;
import java.util.ArrayList;
import java.util.List;

/** Processors of one node: in ordinary times, and what is left of them for those who come back. Immutable. */
final class CpuUse {
    private static final double MILLION = 1e6;

    private final Ingredients in;
    private final Machine machine;
    private final Retention retention;

    CpuUse(Ingredients in, Machine machine, Retention retention) {
        this.in = in;
        this.machine = machine;
        this.retention = retention;
    }

    Usage ordinary(Situation at) {
        List<Term> terms = new ArrayList<>();
        Value deliveries = at.sessions().times(in.rate());
        terms.add(cores("deliveries", deliveries, Factor.CPU_DELIVERY));
        if (in.load().streams() > 0) {
            terms.add(cores("HTTP streams", deliveries.times(in.streams()), Factor.CPU_STREAM));
        }
        if (in.load().encrypted() > 0) {
            terms.add(cores("TLS records", deliveries.times(in.encrypted()), Factor.CPU_TLS_RECORD));
        }
        terms.add(cores("publishes", at.published(), Factor.CPU_PUBLISH));
        if (at.linked()) {
            terms.add(cores("publishes to Kafka", at.published(), Factor.CPU_LOG_WRITE));
            terms.add(cores("reading from Kafka", at.read(), Factor.CPU_LOG_READ));
            terms.add(requests("requests to Kafka", at.published(), Factor.CPU_LOG_REQUEST, Factor.CPU_LOG_REQUESTS));
            terms.add(requests("fetches from Kafka", at.read(), Factor.CPU_LOG_FETCH, Factor.CPU_LOG_FETCHES));
        }
        if (!retention.isNone()) {
            terms.add(cores("history", at.linked() ? at.read() : at.published(), Factor.CPU_HISTORY));
        }
        terms.add(cores("pings", at.sessions().over(in.ping()), Factor.CPU_PING));
        if (in.load().comings() > 0) {
            Value coming = at.sessions().times(in.comings());
            terms.add(new Term("newcomers", connect(coming), Unit.CORES));
        }
        terms.add(new Term("what an idle server does", in.factor(Factor.CPU_BASE), Unit.CORES));
        return new Usage(Resource.CPU, terms, limit("busy", machine.busy()));
    }

    private Term cores(String name, Value perSecond, Factor each) {
        return new Term(name, in.cores(perSecond, each), Unit.CORES);
    }

    /** Few messages travel one by one; where there are many, there are no more requests, and each has more of them. */
    private Term requests(String name, Value perSecond, Factor each, Factor most) {
        return new Term(name, in.cores(perSecond, each).atMost(in.factor(most)), Unit.CORES);
    }

    private Term limit(String name, double share) {
        return new Term("limit", allowed(name, share), Unit.CORES);
    }

    private Value allowed(String name, double share) {
        return Value.of("cores", machine.cores(), Unit.COUNT).times(Value.of(name, share, Unit.SHARE));
    }

    /** Those who come back, against what the processors can take on top of ordinary work, and the server's own bound. */
    Usage comingBack(Situation at) {
        return new Usage(
                Resource.COMING_BACK,
                List.of(new Term("sessions of failed nodes", at.back(), Unit.PER_SECOND)),
                new Term("limit", acceptable(at), Unit.PER_SECOND));
    }

    Value acceptable(Situation at) {
        Value spare = allowed("peak", machine.peak())
                .minus(Value.of("ordinary", ordinary(at).needed(), Unit.CORES));
        Value each = connectMicros();
        Value rate = spare.over(each);
        Value perSecond = new Value(
                Math.max(0, spare.amount()) * MILLION / each.amount(), rate.names(), rate.numbers(), rate.rank());
        return machine.connectRate() > 0
                ? perSecond.atMost(Value.of("connect-rate", machine.connectRate(), Unit.PER_SECOND))
                : perSecond;
    }

    private Value connect(Value perSecond) {
        Value each = connectMicros();
        Value product = perSecond.times(each);
        return new Value(product.amount() / MILLION, product.names(), product.numbers(), product.rank());
    }

    private Value connectMicros() {
        Value plain = in.factor(Factor.CPU_CONNECT);
        return in.load().encrypted() > 0
                ? plain.plus(in.encrypted().times(in.factor(Factor.CPU_TLS_HANDSHAKE)))
                : plain;
    }
}
