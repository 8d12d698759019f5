package io.belfry.plan.report;

/** What a machine costs in a month, in whatever money; 0 is not told. */
public record Prices(double node, double broker) {
    public boolean given() {
        return node > 0 || broker > 0;
    }

    double monthly(long nodes, long brokers) {
        return nodes * node + brokers * broker;
    }
}
