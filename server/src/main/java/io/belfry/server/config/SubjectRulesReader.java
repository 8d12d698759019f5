package io.belfry.server.config;

import io.belfry.protocol.Subjects;
import io.belfry.settings.BadValue;
import io.belfry.settings.Entry;
import io.belfry.settings.Problem;
import io.belfry.settings.Problems;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines {@code Subjects.N = PATTERN option=value ...}, and reports every error in them. Owner: the thread that loads the
 * settings.
 */
final class SubjectRulesReader {
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,3}");

    /** The first option ends the pattern, because a subject may contain spaces. */
    private static final Pattern LINE = Pattern.compile("(.*?)\\s+([A-Za-z-]+=.*)");

    private static final String FORM = "must be a pattern and options, such as /rooms/** history=100 history-age=10m";

    private final Problems problems;
    private final Map<SubjectOption, Object> general;
    private final boolean applicationDecides;
    private final List<SubjectRule> rules = new ArrayList<>();

    /** Creates a reader; {@code applicationDecides} is whether {@code Entitlement} is {@code Http}. */
    SubjectRulesReader(Problems problems, Map<SubjectOption, Object> general, boolean applicationDecides) {
        this.problems = problems;
        this.general = general;
        this.applicationDecides = applicationDecides;
    }

    SubjectRules read(List<Entry> entries) {
        if (entries.size() > SubjectRules.RULES_MAX) {
            add(
                    entries.getLast(),
                    "there are " + entries.size() + " lines, but at most " + SubjectRules.RULES_MAX + " are allowed");
        }
        entries.forEach(this::read);
        rules.sort(Comparator.comparingInt(SubjectRule::number));
        for (SubjectRule rule : rules) {
            rules.stream()
                    .filter(other -> other.number() < rule.number() && other.covers(rule))
                    .findFirst()
                    .ifPresent(
                            other -> entries.stream()
                                    .filter(entry -> entry.name().equals(rule.key()))
                                    .forEach(
                                            entry -> add(
                                                    entry,
                                                    "is never used: " + other.key() + " = " + other.pattern()
                                                            + " matches the same subjects and comes first; give this line a lower number")));
        }
        return new SubjectRules(rules, general);
    }

    private void read(Entry entry) {
        String number = entry.name().substring(entry.name().indexOf('.') + 1);
        boolean numbered = NUMBER.matcher(number).matches();
        if (!numbered) {
            add(entry, "the name must end with a number from 1 to 9999, which defines the order");
        }
        Matcher line = LINE.matcher(entry.value());
        if (!line.matches()) {
            add(entry, FORM);
            return;
        }
        String pattern = line.group(1);
        byte[] bytes = pattern.getBytes(StandardCharsets.UTF_8);
        @Nullable String problem = Subjects.problem(bytes, 0, bytes.length, true);
        if (problem != null) {
            add(entry, "the pattern " + pattern + " is not valid: " + problem);
        }
        Optional<Map<SubjectOption, Object>> set = options(entry, line.group(2).split("\\s+"));
        if (numbered && problem == null && set.isPresent()) {
            SubjectOptions options = SubjectOptions.of(general, set.get());
            rules.add(new SubjectRule(entry.name(), Integer.parseInt(number), pattern, set.get(), options));
        }
    }

    private Optional<Map<SubjectOption, Object>> options(Entry entry, String[] words) {
        Map<SubjectOption, Object> set = new EnumMap<>(SubjectOption.class);
        boolean well = true;
        for (String word : words) {
            well &= option(entry, word, set);
        }
        return well ? Optional.of(set) : Optional.empty();
    }

    private boolean option(Entry entry, String word, Map<SubjectOption, Object> set) {
        int equals = word.indexOf('=');
        if (equals < 1 || equals == word.length() - 1) {
            add(entry, word + " must be option=value, without spaces");
            return false;
        }
        Optional<SubjectOption> option = SubjectOption.named(word.substring(0, equals));
        if (option.isEmpty()) {
            add(
                    entry,
                    word.substring(0, equals) + " is not an option; the options are "
                            + String.join(", ", SubjectOption.names()));
            return false;
        }
        try {
            Object value = normal(option.get(), option.get().parse(word.substring(equals + 1)));
            if (option.get() == SubjectOption.DECISIONS && !applicationDecides && !value.equals("none")) {
                add(entry, word + " needs Entitlement = Http, so that an application decides");
                return false;
            }
            if (set.putIfAbsent(option.get(), value) != null) {
                add(entry, option.get().text() + " is set twice");
                return false;
            }
            return true;
        } catch (BadValue bad) {
            add(entry, word + ": " + bad.rule());
            return false;
        }
    }

    /** Returns the value; 0 is no limit for an age and for bytes. */
    private static Object normal(SubjectOption option, Object value) {
        boolean none = value.equals(0L);
        return switch (option) {
            case HISTORY_AGE, RETAINED_AGE -> none ? (Object) HistoryConfig.NO_EXPIRY : value;
            case HISTORY_BYTES -> none ? (Object) Long.MAX_VALUE : value;
            default -> value;
        };
    }

    private void add(Entry entry, String rule) {
        problems.add(Problem.of(entry, false, rule));
    }
}
