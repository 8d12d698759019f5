package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.control.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CommandLineTest {
    @TempDir
    Path home;

    private final FakeServer server = new FakeServer();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private ServerLauncher launcher = config -> server;
    private @Nullable String homeBefore;

    @BeforeEach
    void setHome() {
        homeBefore = System.getProperty("belfry.home");
        System.setProperty("belfry.home", home.toString());
    }

    @AfterEach
    void restoreHome() {
        if (homeBefore == null) {
            System.clearProperty("belfry.home");
        } else {
            System.setProperty("belfry.home", homeBefore);
        }
    }

    private int execute(String... arguments) {
        CommandLine line = BelfryCommand.line(launcher);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private int run(String... more) {
        String[] arguments = {
            "run", "--daemon", "--set", "Listen=127.0.0.1:0", "--set", "Monitor=none", "--set", "LogFolder=" + home
        };
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return execute(all);
    }

    private RunFolder folder() {
        return new RunFolder(home.resolve("run"), "belfry");
    }

    @Test
    void anUnknownCommandOrOptionIsAUsageError() {
        assertThat(execute("shutdown")).isEqualTo(Exit.USAGE);
        assertThat(execute("status", "--bogus")).isEqualTo(Exit.USAGE);
        assertThat(execute()).isEqualTo(Exit.USAGE);
        assertThat(err.toString()).contains("--bogus").contains("Usage: belfry status");
    }

    @Test
    void checkPrintsTheOptionsOfASubject() {
        String line = "Subjects.7=/rooms/* history=3";
        assertThat(execute("check", "--set", line, "--subject", "/rooms/1")).isEqualTo(Exit.WELL);
        assertThat(out.toString().lines())
                .startsWith("# Subjects.7 = /rooms/* is the first line that matches", "history = 3  # Subjects.7");
        assertThat(execute("check", "--set", line, "--subject", "rooms")).isEqualTo(Exit.USAGE);
        assertThat(err.toString()).contains("--subject rooms: a subject must begin with '/'");
        assertThat(execute("check", "--set", "Subjects.7=/rooms/*")).isEqualTo(Exit.USAGE);
        assertThat(err.toString()).contains("must be a pattern and options");
    }

    @Test
    void everyCommandHasHelp() {
        for (CommandLine command : BelfryCommand.line(launcher).getSubcommands().values()) {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                assertThat(execute(command.getCommandName(), "--help"))
                        .as(command.getCommandName())
                        .isEqualTo(Exit.WELL);
                assertThat(out.toString()).contains("Usage: belfry " + command.getCommandName());
            }
        }
        assertThat(execute("--help")).isEqualTo(Exit.WELL);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void everyCommandForAServerAcceptsAName() {
        for (CommandLine command : BelfryCommand.line(launcher).getSubcommands().values()) {
            if (!List.of("help", "warm").contains(command.getCommandName())
                    && !command.getCommandSpec().usageMessage().hidden()) {
                assertThat(execute(command.getCommandName(), "--name", "another", "--help"))
                        .as(command.getCommandName())
                        .isEqualTo(Exit.WELL);
            }
        }
    }

    @Test
    void checkRefusesAnInvalidName() {
        assertThat(execute("check", "--name", "another")).isEqualTo(Exit.WELL);
        assertThat(execute("check", "--name", "../another")).isEqualTo(Exit.USAGE);
    }

    @Test
    void theHiddenCommandIsNotInTheHelp() {
        assertThat(execute("help")).isEqualTo(Exit.WELL);
        assertThat(out.toString()).contains("doctor").doesNotContain("jvm-options");
    }

    @Test
    void checkPrintsTheEffectiveConfigurationWithoutSecrets() {
        assertThat(execute("check", "--set", "EntitlementAllowToken=s3cret-token"))
                .isEqualTo(Exit.WELL);
        assertThat(out.toString())
                .contains("Memory = 512 MB")
                .contains("EntitlementAllowToken = (hidden)")
                .doesNotContain("s3cret-token");
    }

    @Test
    void checkFailsIfTheHistoryFolderIsUnusable() throws IOException {
        String folder = Files.createFile(home.resolve("file")).resolve("data").toString();
        assertThat(execute("check", "--set", "History=disk", "--set", "History.Folder=" + folder))
                .isEqualTo(Exit.FAILED);
        assertThat(err.toString()).contains("History.Folder " + folder).contains("fix: History.Folder = ");
        assertThat(execute("check", "--set", "History=disk", "--set", "History.Folder=" + home.resolve("data")))
                .isEqualTo(Exit.WELL);
        assertThat(out.toString())
                .contains("# history window: the last 1,000 messages of each subject, of any age, within 4 GB of disk");
    }

    @Test
    void checkReportsEveryProblem() {
        assertThat(execute("check", "--set", "LogLevl=INFO", "--set", "Memory=1 MB"))
                .isEqualTo(Exit.USAGE);
        assertThat(err.toString()).contains("LogLevel").contains("Memory = 1 MB");
    }

    @Test
    void commandsReportThatNoServerRuns() {
        for (String command : new String[] {"status", "stop", "reload", "drain"}) {
            assertThat(execute(command)).as(command).isEqualTo(Exit.NOT_RUNNING);
        }
        assertThat(out.toString().lines()).hasSize(4).containsOnly("belfry is not running");
    }

    @Test
    void aStalePidFileIsReportedAndClearedByStop() throws IOException {
        Files.createDirectories(folder().folder());
        Files.writeString(folder().pidFile(), ProcessHandle.current().pid() + "\n");
        assertThat(execute("status")).isEqualTo(Exit.NOT_RUNNING);
        assertThat(out.toString()).contains("killed or crashed").contains("now belongs to another program");
        assertThat(execute("stop")).isEqualTo(Exit.NOT_RUNNING);
        assertThat(folder().pidFile()).doesNotExist();
    }

    @Test
    void commandsReachARunningServer() throws Exception {
        CompletableFuture<Integer> running = CompletableFuture.supplyAsync(this::run);
        Instance instance = new Instance(folder());
        assertThat(Instance.await(Duration.ofSeconds(30), () -> Files.exists(folder().socket())))
                .isTrue();

        assertThat(execute("status")).isEqualTo(Exit.WELL);
        assertThat(out.toString())
                .contains("belfry is running, pid " + ProcessHandle.current().pid())
                .contains("state ready");
        assertThat(execute("drain", "--over", "90s")).isEqualTo(Exit.WELL);
        assertThat(execute("reload")).isEqualTo(Exit.WELL);
        assertThat(execute("stop")).isEqualTo(Exit.WELL);

        assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo(Exit.WELL);
        assertThat(instance.runs()).isFalse();
        assertThat(server.calls()).startsWith("drain PT1M30S").contains("stop");
    }

    @Test
    void aSecondServerOfTheSameNameIsRefused() throws IOException {
        try (RunFolder.Claim claim = folder().claim().orElseThrow()) {
            assertThat(claim).isNotNull();
            assertThat(run()).isEqualTo(Exit.FAILED);
            assertThat(err.toString()).contains("; use --name to run another server next to it");
        }
    }

    @Test
    void aPortInUseIsReportedWithItsKey() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("--set", "Listen=127.0.0.1:" + taken.getLocalPort())).isEqualTo(Exit.FAILED);
            assertThat(err.toString())
                    .contains("Listen: cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .contains("another program listens there");
        }
        assertThat(server.calls()).isEmpty();
    }

    @Test
    void aFailedLaunchPrintsOneSentenceAndLeavesNoFiles() throws IOException {
        launcher = config -> {
            throw new BindException("the listener could not be opened");
        };
        assertThat(run()).isEqualTo(Exit.FAILED);
        assertThat(err.toString().lines()).containsExactly("cannot start: the listener could not be opened");
        assertThat(new Instance(folder()).runs()).isFalse();
        assertThat(folder().pidFile()).doesNotExist();
    }
}
