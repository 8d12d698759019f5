package io.belfry.server.config;

/** The chapters into which the keys are put, in their order. */
public enum ConfigTopic {
    LISTENING("Listening"),
    TLS("TLS"),
    MEMORY_AND_THREADS("Memory and threads"),
    MESSAGES("Messages"),
    HISTORY("History"),
    SLOW_CONSUMERS("Slow consumers"),
    ENTITLEMENT("Entitlement"),
    LIMITS("Limits"),
    MONITORING("Monitoring"),
    LOGGING("Logging"),
    CLUSTER("Cluster"),
    TRIAL("Trying things out");

    private final String title;

    ConfigTopic(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
