package io.belfry.server.monitor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of {@code promtool check metrics} for the text format, as far as this server's names can break them. Pure
 * functions.
 */
final class MetricsLint {
    private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.+)");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern SAMPLE = Pattern.compile("([^\\s{#]+)(?:\\{(.*)})? \\S+");
    private static final Pattern ABBREVIATED_UNIT =
            Pattern.compile("(?:^|_)(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(?:_|$)");
    private static final Pattern LOWER_CASE = Pattern.compile("[a-z][a-z0-9_]*");

    private MetricsLint() {}

    /** Returns one sentence for each rule that a metric family breaks; empty if there are none. */
    static List<String> problems(String page) {
        Map<String, String> types = new HashMap<>();
        Set<String> helped = new HashSet<>();
        List<String> problems = new ArrayList<>();
        for (String line : page.lines().toList()) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                helped.add(help.group(1));
            } else if (type.matches()) {
                types.put(type.group(1), type.group(2));
            } else if (sample.matches()) {
                problems.addAll(ofLabels(sample.group(1), String.valueOf(sample.group(2)), types));
            }
        }
        types.forEach((name, type) -> problems.addAll(ofFamily(name, type, helped.contains(name))));
        return problems.stream().distinct().sorted().toList();
    }

    private static List<String> ofLabels(String name, String labels, Map<String, String> types) {
        List<String> problems = new ArrayList<>();
        if (hasLabel(labels, "quantile") && !"summary".equals(types.get(name))) {
            problems.add(name + ": only summaries have the label quantile");
        }
        if (hasLabel(labels, "le") && !"histogram".equals(types.get(name.replaceFirst("_bucket$", "")))) {
            problems.add(name + ": only histograms have the label le");
        }
        return problems;
    }

    private static boolean hasLabel(String labels, String name) {
        return labels.startsWith(name + "=") || labels.contains("," + name + "=");
    }

    private static List<String> ofFamily(String name, String type, boolean helped) {
        List<String> problems = new ArrayList<>();
        if (!helped) {
            problems.add(name + ": no help");
        }
        if (type.equals("counter") != name.endsWith("_total")) {
            problems.add(name + ": counters, and they alone, end with _total");
        }
        if (name.matches(".*_(?:count|sum|bucket)")) {
            problems.add(name + ": a suffix of histograms and summaries");
        }
        if (ABBREVIATED_UNIT.matcher(name).find()) {
            problems.add(name + ": an abbreviated unit");
        }
        if (!LOWER_CASE.matcher(name).matches()) {
            problems.add(name + ": not in lower case with underscores");
        }
        return problems;
    }
}
