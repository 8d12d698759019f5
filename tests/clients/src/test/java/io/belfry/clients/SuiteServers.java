package io.belfry.clients;

import io.belfry.integration.Jwts;
import io.belfry.integration.TestServer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The servers of a run, each started at its first use. Any thread. */
final class SuiteServers implements AutoCloseable {
    private static final String[] COMMON = {"BenchmarkMode=true", "Limit.PublishRate=0", "CacheMemory=128 MB"};

    static final int BRIEF_MESSAGES = 200;

    private @Nullable TestServer main;
    private @Nullable TestServer brief;
    private @Nullable TestServer guarded;

    private static TestServer start(String... settings) {
        String[] all = Arrays.copyOf(COMMON, COMMON.length + settings.length);
        System.arraycopy(settings, 0, all, COMMON.length, settings.length);
        return TestServer.start(all);
    }

    /** Returns a server with a long history. */
    synchronized TestServer main() {
        if (main == null) {
            main = start("CacheSize=100000", "CacheExpireTime=10 m", "PubSubTightlyCoupled=true", "Compression=on");
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
            guarded = start("Entitlement=JWT", "Jwt.Secret=" + Jwts.SECRET, "Limit.FailedTokensPerAddress=0");
        }
        return guarded;
    }

    @Override
    public synchronized void close() {
        for (TestServer started : new TestServer[] {main, brief, guarded}) {
            if (started != null) {
                started.close();
            }
        }
    }
}
