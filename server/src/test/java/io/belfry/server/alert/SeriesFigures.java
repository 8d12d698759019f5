package io.belfry.server.alert;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The figures that the series of a rule describe, with a value for each minute. */
final class SeriesFigures implements AlertFigures {
    private static final Pattern LABEL = Pattern.compile("([a-z]+)='([^']*)'");
    private static final Pattern STRETCH = Pattern.compile("([0-9.]+)(?:\\+([0-9.]+))?x([0-9]+)");

    private record Series(String name, Map<String, String> labels, List<Double> values) {
        static Series of(String text) {
            String[] words = text.split(" ", 2);
            Map<String, String> labels = LABEL.matcher(words[0])
                    .results()
                    .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
            List<Double> values = Arrays.stream(words[1].split(" ", -1))
                    .flatMap(stretch -> stretch(stretch).stream())
                    .toList();
            return new Series(words[0].replaceAll("\\{.*", ""), labels, values);
        }

        private static List<Double> stretch(String text) {
            Matcher parts = STRETCH.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException(text);
            }
            double first = Double.parseDouble(parts.group(1));
            double step = parts.group(2) == null ? 0 : Double.parseDouble(parts.group(2));
            return java.util.stream.IntStream.rangeClosed(0, Integer.parseInt(parts.group(3)))
                    .mapToObj(i -> first + i * step)
                    .toList();
        }
    }

    private final List<Series> series;
    private int minute;

    SeriesFigures(List<String> series) {
        this.series = series.stream().map(Series::of).toList();
    }

    void at(int now) {
        minute = now;
    }

    private double value(String name, Predicate<Map<String, String>> labels, int when) {
        return series.stream()
                .filter(each -> each.name().equals(name) && labels.test(each.labels()))
                .mapToDouble(each -> each.values().get(Math.max(0, when)))
                .sum();
    }

    private double now(String name) {
        return value(name, labels -> true, minute);
    }

    private static String name(Counter counter) {
        return "belfry_" + counter.name().toLowerCase(Locale.ROOT)
                + (counter.kind() == Counter.Kind.COUNT ? "_total" : "");
    }

    private double growth(String name, Predicate<Map<String, String>> labels, int minutes) {
        return value(name, labels, minute) - value(name, labels, minute - minutes);
    }

    private Map<Code, Double> byCode(String name, int minutes) {
        Map<Code, Double> grown = new EnumMap<>(Code.class);
        for (Code code : Code.values()) {
            double growth = growth(name, labels -> code.text().equals(labels.get("code")), minutes);
            if (growth > 0) {
                grown.put(code, growth);
            }
        }
        return grown;
    }

    @Override
    public Optional<String> notReady() {
        boolean known = series.stream().anyMatch(each -> each.name().equals("belfry_ready"));
        return known && now("belfry_ready") == 0 ? Optional.of("draining") : Optional.empty();
    }

    @Override
    public long sessions() {
        return (long) now("belfry_sessions_connected");
    }

    @Override
    public long level(Counter counter) {
        return (long) now(name(counter));
    }

    @Override
    public double growth(Counter counter, int minutes) {
        return growth(name(counter), labels -> true, minutes);
    }

    @Override
    public Map<Code, Double> refusals(int minutes) {
        return byCode("belfry_refusals_total", minutes);
    }

    @Override
    public Map<Code, Double> closes(int minutes) {
        return byCode("belfry_closes_total", minutes);
    }

    @Override
    public Map<Code, Double> drops(int minutes) {
        return byCode("belfry_messages_dropped_total", minutes);
    }

    @Override
    public double usualRefusals(Code code) {
        int until = Math.max(0, minute - 10);
        Predicate<Map<String, String>> ofCode = labels -> code.text().equals(labels.get("code"));
        return until == 0 ? 0 : value("belfry_refusals_total", ofCode, until) / (60 * until);
    }

    /** The bound of the bucket of the 99th percentile, without estimating where in it. */
    @Override
    public long latencyP99Micros(int minutes) {
        String bucket = "belfry_delivery_latency_seconds_bucket";
        double all = growth(bucket, labels -> "+Inf".equals(labels.get("le")), minutes);
        return series.stream()
                .filter(each ->
                        each.name().equals(bucket) && growth(bucket, each.labels()::equals, minutes) >= 0.99 * all)
                .map(each -> each.labels().getOrDefault("le", "+Inf").replace("+Inf", "Infinity"))
                .mapToLong(bound -> Math.round(1e6 * Double.parseDouble(bound)))
                .min()
                .orElse(0);
    }

    @Override
    public Map<String, Long> lagP99Micros() {
        return series.stream()
                .filter(each -> each.name().equals("belfry_workgroup_loop_lag_recent_seconds")
                        && "0.99".equals(each.labels().get("quantile")))
                .collect(Collectors.toMap(
                        each -> each.labels().getOrDefault("workgroup", ""),
                        each -> Math.round(1e6 * each.values().get(minute))));
    }

    private double share(String used, String most) {
        return now(most) == 0 ? 0 : now(used) / now(most);
    }

    @Override
    public double heapShare() {
        return share("jvm_memory_used_bytes", "jvm_memory_max_bytes");
    }

    @Override
    public double filesShare() {
        return share("process_files_open_files", "process_files_max_files");
    }

    @Override
    public OptionalDouble certificateDays() {
        double expires = now("belfry_tls_certificate_expires_seconds");
        return expires == 0 ? OptionalDouble.empty() : OptionalDouble.of((expires - 60 * minute) / 86_400);
    }

    @Override
    public double denied(int minutes) {
        return growth("belfry_monitor_denied_total", labels -> true, minutes);
    }
}
