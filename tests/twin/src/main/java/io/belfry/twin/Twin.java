package io.belfry.twin;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Belfry's history beside RocksDB, on this machine.
 *
 * <pre>
 * tests/twin/run cost [STORE...] [messages=2000000] [subjects=10000] [group=200] [folder=/tmp]
 * tests/twin/run kill [STORE...] [kills=50] [subjects=1000] [seed=N] [folder=/tmp]
 * </pre>
 */
public final class Twin {
    private final String[] arguments;

    private Twin(String[] arguments) {
        this.arguments = arguments;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Twin twin = new Twin(arguments);
        boolean well = switch (arguments.length == 0 ? "" : arguments[0]) {
            case "cost" -> twin.cost();
            case "kill" -> twin.kill();
            // What these two start.
            case "cost-of" -> twin.costOfOne();
            case "append" -> twin.append();
            default -> usage();
        };
        System.exit(well ? 0 : 1);
    }

    private static boolean usage() {
        System.err.println("usage: tests/twin/run cost [STORE...] [messages=2000000] [subjects=10000] [group=200]"
                + " [folder=/tmp]");
        System.err.println("       tests/twin/run kill [STORE...] [kills=50] [subjects=1000] [seed=N] [folder=/tmp]");
        System.err.println("stores: "
                + String.join(
                        ", ",
                        Arrays.stream(StoreKind.values()).map(StoreKind::text).toList()));
        return false;
    }

    /** A process for each store, so that none finds the memory and the compiled code of another. */
    private boolean cost() throws IOException, InterruptedException {
        long messages = option("messages", 2_000_000);
        long subjects = option("subjects", 10_000);
        CostRun.printHead();
        boolean well = true;
        for (StoreKind kind : kinds()) {
            try (WorkFolder work = WorkFolder.in(folder())) {
                List<String> command = command("cost-of", kind, work.path().resolve("store"), subjects, messages);
                command.add("group=" + option("group", Workload.GROUP));
                well &= new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
            }
        }
        return well;
    }

    private boolean costOfOne() throws IOException {
        new CostRun(StoreKind.of(arguments[1]), Path.of(arguments[2]), workload(), Long.parseLong(arguments[4])).run();
        return true;
    }

    private boolean append() throws IOException {
        Appender.run(StoreKind.of(arguments[1]), Path.of(arguments[2]), workload(), Long.parseLong(arguments[4]));
        return true;
    }

    private Workload workload() {
        return new Workload(Integer.parseInt(arguments[3]), (int) option("group", Workload.GROUP));
    }

    private boolean kill() throws IOException, InterruptedException {
        long seed = option("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        boolean well = true;
        for (StoreKind kind : kinds()) {
            if (kind.survives()) {
                try (WorkFolder work = WorkFolder.in(folder())) {
                    Workload workload = new Workload((int) option("subjects", 1000));
                    well &= new KillRun(kind, work.path().resolve("store"), workload, seed)
                            .run((int) option("kills", 50));
                }
            }
        }
        return well;
    }

    /** Starts this program again, on the same JVM options. */
    static List<String> command(String what, StoreKind kind, Path folder, long subjects, long number) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-javaagent"))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Twin.class.getName()));
        command.addAll(List.of(what, kind.text(), folder.toString(), String.valueOf(subjects), String.valueOf(number)));
        return command;
    }

    private List<StoreKind> kinds() {
        List<StoreKind> named = Arrays.stream(arguments)
                .skip(1)
                .filter(argument -> argument.indexOf('=') < 0)
                .map(StoreKind::of)
                .toList();
        return named.isEmpty() ? List.of(StoreKind.values()) : named;
    }

    private Path folder() {
        return Path.of(text("folder", System.getProperty("java.io.tmpdir")));
    }

    private long option(String name, long otherwise) {
        return Long.parseLong(text(name, String.valueOf(otherwise)));
    }

    private String text(String name, String otherwise) {
        String prefix = name + "=";
        return Arrays.stream(arguments)
                .filter(argument -> argument.startsWith(prefix))
                .map(argument -> argument.substring(prefix.length()))
                .findFirst()
                .orElse(otherwise);
    }
}
