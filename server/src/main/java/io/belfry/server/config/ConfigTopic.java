package io.belfry.server.config;

/** Chapters of the configuration's documentation, in their order. */
public enum ConfigTopic {
    LISTENING("Listening"),
    TLS("TLS"),
    MEMORY_AND_THREADS("Memory and threads"),
    MESSAGES("Messages"),
    HISTORY("History"),
    SUBJECTS("Options of subjects"),
    SLOW_CONSUMERS("Slow consumers"),
    ENTITLEMENT("Entitlement"),
    LIMITS("Limits"),
    SERVER_API("Server API"),
    EVENTS("Events"),
    MONITORING("Monitoring"),
    LOGGING("Logging"),
    CLUSTER("Cluster"),
    TRIAL("Trial and test features");

    private final String title;

    ConfigTopic(String title) {
        this.title = title;
    }

    /** Returns the heading of the chapter. */
    public String title() {
        return title;
    }
}
