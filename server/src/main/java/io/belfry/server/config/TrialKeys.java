package io.belfry.server.config;

import io.belfry.settings.ValueType;

/** The keys about trials and tests; {@code ConfigKey} lists them. Immutable. */
final class TrialKeys {
    static final TopicKey DOCUMENT_ROOT = new TopicKey(
            ConfigTopic.TRIAL,
            "DocumentRoot",
            ValueType.path(),
            "Folder of static files that are served on the clients' port, for trying things out.");

    static final TopicKey X_ECHO = new TopicKey(
            ConfigTopic.TRIAL,
            "X.Echo",
            ValueType.flag(),
            "false",
            "Whether to open `/echo`, which returns WebSocket messages and HTTP bodies, for conformance suites.");

    private TrialKeys() {}
}
