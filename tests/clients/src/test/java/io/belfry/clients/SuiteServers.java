package io.belfry.clients;

import io.belfry.integration.Jwts;
import io.belfry.integration.TestServer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The servers of a run, each started at its first use. Any thread. */
final class SuiteServers implements AutoCloseable {
    private static final String[] COMMON = {"BenchmarkMode=true", "Limit.PublishRate=0", "Limit.HandshakeTime=1 m"};

    static final int BRIEF_MESSAGES = 200;

    private @Nullable TestServer main;
    private @Nullable TestServer brief;
    private @Nullable TestServer guarded;
    private @Nullable CompletableFuture<SuiteCluster> cluster;

    static TestServer start(String... settings) {
        String[] all = Arrays.copyOf(COMMON, COMMON.length + settings.length);
        System.arraycopy(settings, 0, all, COMMON.length, settings.length);
        return TestServer.start(all);
    }

    /** Returns a server with a history that outlasts each pause: all random checks together publish 5 MB a second. */
    synchronized TestServer main() {
        if (main == null) {
            main = start(
                    "CacheSize=100000",
                    "CacheExpireTime=10 m",
                    "CacheMemory=512 MB",
                    "PubSubTightlyCoupled=true",
                    "Compression=on",
                    "PingInterval.Min=500 ms");
        }
        return main;
    }

    /** Returns a server with a history of {@link #BRIEF_MESSAGES} messages and a ping interval of one second. */
    synchronized TestServer brief() {
        if (brief == null) {
            brief = start("CacheSize=" + BRIEF_MESSAGES, "PingInterval=1 s", "SlowConsumer.Grace=2 s");
        }
        return brief;
    }

    /** Returns a server that requires signed tokens. */
    synchronized TestServer guarded() {
        if (guarded == null) {
            guarded = start(
                    "Entitlement=JWT",
                    "Jwt.Secret=" + Jwts.SECRET,
                    "Limit.FailedTokensPerAddress=0",
                    "Subjects.1=/suite/*/named publisher=yes");
        }
        return guarded;
    }

    /** Returns the nodes of a cluster. */
    List<TestServer> cluster() {
        return startedCluster().join().nodes();
    }

    /** The cluster takes seconds to start, for which users of the other servers do not wait. */
    private synchronized CompletableFuture<SuiteCluster> startedCluster() {
        if (cluster == null) {
            cluster = CompletableFuture.supplyAsync(SuiteCluster::start);
        }
        return cluster;
    }

    @Override
    public synchronized void close() {
        if (cluster != null) {
            cluster.join().close();
        }
        for (TestServer started : new TestServer[] {main, brief, guarded}) {
            if (started != null) {
                started.close();
            }
        }
    }
}
