package io.belfry.server.config;

import java.nio.file.Path;
import java.util.Optional;

/** What is there for trying things out and for conformance suites. Immutable. */
public record TrialConfig(boolean echo, Optional<Path> documentRoot) {}
