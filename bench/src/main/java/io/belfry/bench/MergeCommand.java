package io.belfry.bench;

import io.belfry.bench.report.BenchReport;
import io.belfry.bench.report.HistogramLog;
import io.belfry.bench.report.MergeReport;
import io.belfry.bench.report.ReportFiles;
import io.belfry.benchkit.run.CommandLines;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code bin/benchsub report}. Owner: the main thread. */
@Command(
        name = "benchsub report",
        description = "Merges any number of histogram logs into one page and one JSON file.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 no faults, 1 a file cannot be read or no file has a histogram, 2 wrong usage"})
public final class MergeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILE.hlog",
            arity = "1..*",
            description = "histogram log of a load generator (key HistogramLog), with values in microseconds")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE.html",
            defaultValue = "report.html",
            description = "HTML file (default: ${DEFAULT-VALUE}); the JSON file is written next to it")
    private Path page = Path.of("report.html");

    @Option(names = "--title", paramLabel = "TEXT", defaultValue = "latency", description = "title of the page")
    private String title = "latency";

    /** Main program of {@code bin/benchsub report A.hlog B.hlog ... -o report.html}. */
    public static void main(String... arguments) {
        System.exit(CommandLines.of(new MergeCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<HistogramLog> logs = new ArrayList<>();
        for (Path file : files) {
            logs.add(HistogramLog.read(file));
        }
        PrintWriter err = spec.commandLine().getErr();
        logs.forEach(log -> log.notes().forEach(note -> err.println("benchsub report: " + log.name() + ": " + note)));
        if (logs.stream().allMatch(log -> log.intervals().isEmpty())) {
            err.println("benchsub report: no histogram in " + joined(", "));
            return ExitCode.FAILED;
        }
        String command = "bin/benchsub report " + joined(" ") + " -o " + page;
        BenchReport report = MergeReport.of(logs, title, command);
        ReportFiles.write(report, page);
        spec.commandLine().getOut().println(page + " and " + ReportFiles.jsonBeside(page));
        return ExitCode.WELL;
    }

    private String joined(String delimiter) {
        return files.stream().map(Path::toString).collect(Collectors.joining(delimiter));
    }
}
