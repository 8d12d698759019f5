package io.belfry.server.config;

import java.nio.file.Path;
import java.util.Optional;

/** Settings of features for trials and conformance suites, which production servers do not need. Immutable. */
public record TrialConfig(boolean echo, Optional<Path> documentRoot) {}
