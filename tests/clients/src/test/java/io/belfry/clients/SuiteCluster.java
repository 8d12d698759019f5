package io.belfry.clients;

import io.belfry.cluster.Brokers;
import io.belfry.integration.ClusterNodes;
import io.belfry.integration.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Two nodes that share one Kafka broker. Any thread. */
record SuiteCluster(Brokers brokers, List<TestServer> nodes) implements AutoCloseable {
    static SuiteCluster start() {
        try {
            Brokers brokers = ClusterNodes.startBrokers(1);
            String[] settings = ClusterNodes.on(brokers).settings();
            return new SuiteCluster(brokers, List.of(SuiteServers.start(settings), SuiteServers.start(settings)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        nodes.forEach(TestServer::close);
        brokers.close();
    }
}
