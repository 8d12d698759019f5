package io.belfry.attack.server;

import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks {@code bin/belfry check} what a configuration comes to. Pure, but for the process. */
final class Check {
    private Check() {}

    /** Throws an {@link IllegalArgumentException} with the server's own words where the configuration is wrong. */
    static Facts of(Order order, Disguise disguise, Path folder) throws IOException {
        Path effective = folder.resolve("effective.conf");
        List<String> command =
                new ArrayList<>(List.of(order.home().resolve("bin/belfry").toString(), "check"));
        command.addAll(disguise.arguments());
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(effective.toFile());
        builder.environment().putAll(disguise.environment());
        Process process = builder.start();
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalArgumentException((errors + Files.readString(effective)).strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return facts(Settings.read(TargetKey.all(), Optional.of(effective), Map.of(), List.of()), disguise);
    }

    private static Facts facts(Settings settings, Disguise disguise) {
        return new Facts(
                disguise.encryptedPort() > 0,
                settings.flag(TargetKey.COMPRESSION),
                Duration.ofMillis(settings.timeMillis(TargetKey.HANDSHAKE_TIME)),
                Math.toIntExact(settings.sizeBytes(TargetKey.MAX_MESSAGE_SIZE)),
                settings.whole(TargetKey.SUBJECTS_PER_SESSION),
                settings.text(TargetKey.ENTITLEMENT).orElse(""),
                disguise.token());
    }
}
