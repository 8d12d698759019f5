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
 * Jazzer on each target, in a process of its own: for so many seconds, from the corpus on. What it finds lies below
 * {@code target/fuzz}: put a finding into the corpus, mend it, and leave a unit test. Only in the profile {@code fuzz}.
 */
@EnabledIfSystemProperty(named = "belfry.fuzz.seconds", matches = "[0-9]+")
final class FuzzingTest {
    private static final int INPUT_BYTES_MAX = 8192;

    @ParameterizedTest
    @EnumSource(Target.class)
    void nothingIsFound(Target target) throws IOException, InterruptedException {
        Assumptions.assumeTrue(isWanted(target));
        Path found = Files.createDirectories(Path.of("target/fuzz", target.folder()));
        Path log = Path.of("target/fuzz", target.folder() + ".log");
        long seconds = Long.getLong("belfry.fuzz.seconds", 60);
        Process jazzer = new ProcessBuilder(command(target, found, seconds))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            Pieces.require(jazzer.waitFor(2 * seconds + 120, TimeUnit.SECONDS), "Jazzer ends by itself; see " + log);
            Pieces.require(jazzer.exitValue() == 0, target + " failed; see " + log.toAbsolutePath());
        } finally {
            jazzer.destroyForcibly();
        }
    }

    private static boolean isWanted(Target target) {
        String wanted = System.getProperty("belfry.fuzz.targets", "");
        return wanted.isBlank() || Arrays.asList(wanted.split(",", -1)).contains(target.folder());
    }

    private static List<String> command(Target target, Path found, long seconds) {
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
