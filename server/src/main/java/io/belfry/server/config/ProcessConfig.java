package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.SizeUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/** The settings of the server process itself: its name, its heap, its log, and the additions for trials. Immutable. */
public record ProcessConfig(Optional<String> nodeName, long memoryBytes, LogConfig log, TrialConfig trial) {
    /** Maximum length of a node name. A session name begins with the node name and has at most 255 bytes. */
    public static final int MAX_NODE_NAME = 64;

    private static final Pattern NODE_NAME =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0," + (MAX_NODE_NAME - 1) + "}");

    /** Minimum memory; the JVM itself does not run with less. */
    static final long MIN_MEMORY_BYTES = 32 * SizeUnit.MB.bytes();

    public ProcessConfig {
        nodeName.ifPresent(name -> InvalidSetting.unless(
                NODE_NAME.matcher(name).matches(),
                "NodeName",
                name,
                "must be 1 to " + MAX_NODE_NAME + " letters, digits, '.', '_' and '-', the first a letter or digit"));
        InvalidSetting.unless(
                memoryBytes >= MIN_MEMORY_BYTES, "Memory", SizeUnit.write(memoryBytes), "must be 32 MB or more");
    }
}
