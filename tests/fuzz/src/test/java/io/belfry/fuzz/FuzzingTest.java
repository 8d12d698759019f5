package io.belfry.fuzz;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs Jazzer on each target in a process of its own, starting from the corpus. Findings are written below {@code
 * target/fuzz}: add a finding to the corpus, fix the error, and add a unit test. Only in the profile {@code fuzz}.
 */
@EnabledIfSystemProperty(named = "belfry.fuzz.seconds", matches = "[0-9]+")
final class FuzzingTest {
    private static final int INPUT_BYTES_MAX = 8192;

    @ParameterizedTest
    @EnumSource(FuzzTarget.class)
    void fuzzingFindsNothing(FuzzTarget target) throws IOException, InterruptedException {
        Assumptions.assumeTrue(isSelected(target));
        Path found = Files.createDirectories(Path.of("target/fuzz", target.folder()));
        Path log = Path.of("target/fuzz", target.folder() + ".log");
        long seconds = Long.getLong("belfry.fuzz.seconds", 60);
        Process jazzer = new ProcessBuilder(command(target, found, seconds))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            SplitInput.require(jazzer.waitFor(2 * seconds + 120, TimeUnit.SECONDS), "Jazzer did not end; see " + log);
            SplitInput.require(jazzer.exitValue() == 0, target + " failed; see " + log.toAbsolutePath());
        } finally {
            jazzer.destroyForcibly();
        }
    }

    private static boolean isSelected(FuzzTarget target) {
        String selected = System.getProperty("belfry.fuzz.targets", "");
        return selected.isBlank() || Arrays.asList(selected.split(",", -1)).contains(target.folder());
    }

    private static List<String> command(FuzzTarget target, Path found, long seconds) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--") || argument.startsWith("-XX:"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx1g",
                "-XX:+EnableDynamicAgentLoading",
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.className(),
                "--instrumentation_includes=io.belfry.**",
                "--custom_hook_includes=io.belfry.**",
                "--reproducer_path=" + found,
                "-artifact_prefix=" + found + "/",
                "-max_total_time=" + seconds,
                "-max_len=" + INPUT_BYTES_MAX,
                "-rss_limit_mb=3000",
                "-timeout=10",
                "-print_final_stats=1",
                found.toString(),
                Path.of("src/test/resources/corpus", target.folder()).toString()));
        return command;
    }
}
