package io.belfry.plan;

import io.belfry.plan.input.Amounts;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Retention;
import io.belfry.plan.input.Trouble;
import io.belfry.plan.input.Workload;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What clients are and get, as both commands are told it. Owner: the command line. */
final class LoadOptions {
    private static final String RATE = "1/min";

    @Option(names = "--rate", paramLabel = "N/TIME", description = "messages each client gets (default: 1/min)")
    private @Nullable String rate;

    @Option(
            names = "--publish-rate",
            paramLabel = "N/TIME",
            description = "messages published in all, instead of --rate or of --fan-out")
    private @Nullable String publishRate;

    @Option(names = "--size", paramLabel = "BYTES", description = "of each message's data (default: 512)")
    private String size = "512";

    @Option(
            names = "--fan-out",
            paramLabel = "N|all",
            description = "sessions that each message goes to (default: plan 1, simulate 1000)")
    private @Nullable String fanOut;

    @Option(
            names = "--subjects",
            paramLabel = "N",
            description = "how many subjects the clients are spread over, instead of --fan-out")
    private @Nullable String subjects;

    @Option(
            names = "--subjects-per-client",
            paramLabel = "N",
            description = "subscriptions of each client (default: 1)")
    private String subjectsEach = "1";

    @Option(names = "--subject-bytes", paramLabel = "N", description = "length of a subject (default: 16)")
    private int subjectBytes = 16;

    @Option(names = "--tls", paramLabel = "SHARE", description = "of the sessions that are encrypted (default: 0%%)")
    private String tls = "0%";

    @Option(
            names = "--http",
            paramLabel = "SHARE",
            description = "of the sessions that are HTTP streams; the others are WebSockets (default: 0%%)")
    private String http = "0%";

    @Option(
            names = "--json-sessions",
            paramLabel = "SHARE",
            description = "of the WebSockets that speak JSON (default: 0%%)")
    private String json = "0%";

    @Option(
            names = "--new-sessions",
            paramLabel = "N/TIME",
            description = "how often each client connects anew in ordinary times (default: 1/h)")
    private String comings = "1/h";

    @Option(names = "--slow", paramLabel = "SHARE", description = "of the sessions with unread data (default: 1%%)")
    private String slow = "1%";

    @Option(names = "--ping", paramLabel = "TIME", description = "the server's PingInterval (default: 25s)")
    private String ping = "25s";

    @Option(
            names = "--history",
            paramLabel = "TIME",
            description = "a client may be away and miss nothing (default: 60s); 0 keeps nothing")
    private String history = "60s";

    @Option(
            names = "--cache-size",
            paramLabel = "N",
            description = "messages kept of a subject at most, the server's CacheSize (default: 1000)")
    private String cacheSize = "1000";

    Workload workload(long clients, String usualFanOut) {
        double each = (double) Amounts.count("--subjects-per-client", subjectsEach);
        double audience = audience(clients, each, usualFanOut);
        return new Workload(
                clients,
                perSecond(clients, audience),
                Amounts.bytes("--size", size),
                audience,
                each,
                subjectBytes,
                Amounts.share("--tls", tls),
                Amounts.share("--http", http),
                Amounts.share("--json-sessions", json),
                Amounts.perSecond("--new-sessions", comings),
                Amounts.share("--slow", slow),
                Amounts.seconds("--ping", ping));
    }

    /** Of rate, publish rate and fan-out two are enough, and three are one too many. */
    private double audience(long clients, double each, String usual) {
        if (fanOut != null && subjects != null) {
            throw contradiction("--fan-out and --subjects say the same");
        }
        if (subjects != null) {
            return Math.max(1, clients * each / (double) Amounts.count("--subjects", subjects));
        }
        if (fanOut != null) {
            return (double) (fanOut.equals("all") ? clients : Amounts.count("--fan-out", fanOut));
        }
        if (publishRate != null && rate != null) {
            return Math.max(1, clients * Amounts.perSecond("--rate", rate) / published());
        }
        return (double) Math.min(clients, Amounts.count("--fan-out", usual));
    }

    private double perSecond(long clients, double audience) {
        if (publishRate == null) {
            return Amounts.perSecond("--rate", rate == null ? RATE : rate);
        }
        if (rate != null && (fanOut != null || subjects != null)) {
            throw contradiction("--rate, --publish-rate and --fan-out (or --subjects) are one too many");
        }
        return rate != null ? Amounts.perSecond("--rate", rate) : published() * audience / clients;
    }

    private double published() {
        double rate = Amounts.perSecond("--publish-rate", String.valueOf(publishRate));
        if (rate <= 0) {
            throw new Nonsense(Trouble.BAD_VALUE, "--publish-rate is more than 0");
        }
        return rate;
    }

    private static Nonsense contradiction(String sentence) {
        return new Nonsense(Trouble.CONTRADICTION, sentence);
    }

    Retention retention() {
        long messages = cacheSize.strip().equals("0") ? 0 : Amounts.count("--cache-size", cacheSize);
        return new Retention(Amounts.seconds("--history", history), messages);
    }

    boolean mostlyEncrypted() {
        return Amounts.share("--tls", tls) > 0.5;
    }

    double pingSeconds() {
        return Amounts.seconds("--ping", ping);
    }
}
