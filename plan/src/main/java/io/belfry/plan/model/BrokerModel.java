package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Workload;
import java.util.List;

/** What one broker of a cell needs, when as many others have failed as it is to survive. Immutable. */
final class BrokerModel {
    private static final double BITS = 8;
    private static final long MOST = 1_000_000;

    private final Ingredients in;
    private final Value record;
    private final Workload load;
    private final Machine machine;
    private final Demands.Brokers terms;

    BrokerModel(Workload load, Machine machine, Demands.Brokers terms, Coefficients coefficients) {
        in = new Ingredients(load, coefficients);
        record = new NetworkUse(in, machine).record().called("record", Unit.BYTES);
        this.load = load;
        this.machine = machine;
        this.terms = terms;
    }

    /** As few as will do, and not fewer than there are copies. */
    long needed(long nodes) {
        return Search.least(
                        terms.replication(),
                        MOST,
                        count -> usages(nodes, count).stream().allMatch(Usage::fits))
                .orElse(MOST);
    }

    List<Usage> usages(long nodes, long brokers) {
        Value left = Value.of("brokers-left", brokers - terms.failures(), Unit.COUNT);
        Value share = Value.of("published", load.published(), Unit.PER_SECOND).over(left);
        Value copies = Value.of("replication", terms.replication(), Unit.COUNT);
        Value readers = Value.of("nodes", nodes, Unit.COUNT).plus(copies).minus(Value.number(1));
        Value written = share.times(copies).times(record);
        Value sent = share.times(readers).times(record);
        return List.of(
                new Usage(
                        Resource.CPU,
                        List.of(
                                new Term(
                                        "messages",
                                        in.cores(share.times(copies), Factor.BROKER_CPU_MESSAGE),
                                        Unit.CORES),
                                new Term(
                                        "sending to nodes and copies",
                                        in.cores(sent, Factor.BROKER_CPU_BYTE),
                                        Unit.CORES)),
                        limit("broker-cores", terms.cores(), Unit.CORES)),
                new Usage(
                        Resource.NETWORK_OUT,
                        List.of(new Term("to nodes and copies", sent.times(Value.number(BITS)), Unit.BITS_PER_SECOND)),
                        limit("broker-bandwidth", terms.bitsPerSecond(), Unit.BITS_PER_SECOND)),
                new Usage(
                        Resource.NETWORK_IN,
                        List.of(new Term("messages", written.times(Value.number(BITS)), Unit.BITS_PER_SECOND)),
                        limit("broker-bandwidth", terms.bitsPerSecond(), Unit.BITS_PER_SECOND)),
                new Usage(
                        Resource.DISK,
                        List.of(new Term("messages", written, Unit.BYTES_PER_SECOND)),
                        limit("broker-disk", terms.diskBytesPerSecond(), Unit.BYTES_PER_SECOND)));
    }

    private Term limit(String name, double amount, Unit unit) {
        return new Term(
                "limit", Value.of(name, amount, unit).times(Value.of("busy", machine.busy(), Unit.SHARE)), unit);
    }

    /** The log on all disks of a cell together. */
    Term kept() {
        return new Term(
                "log",
                Value.of("published", load.published(), Unit.PER_SECOND)
                        .times(Value.of("replication", terms.replication(), Unit.COUNT))
                        .times(record)
                        .times(Value.of("log-kept", terms.seconds(), Unit.SECONDS)),
                Unit.BYTES);
    }
}
