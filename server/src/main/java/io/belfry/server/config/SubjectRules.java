package io.belfry.server.config;

import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The options of all subjects: the lines {@code Subjects.N} in the order of their numbers, of which the first one with a
 * matching pattern applies, and the options of all other subjects. Immutable.
 */
public final class SubjectRules {
    /** Maximum number of lines; a subject that matches none is compared with all of them. */
    public static final int RULES_MAX = 64;

    private final List<SubjectRule> rules;
    private final byte[][] patterns;
    private final SubjectOptions[] options;
    private final Map<SubjectOption, Object> general;

    SubjectRules(List<SubjectRule> rules, Map<SubjectOption, Object> general) {
        this.rules = rules.stream()
                .sorted(Comparator.comparingInt(SubjectRule::number))
                .toList();
        this.general = Map.copyOf(general);
        patterns = this.rules.stream().map(SubjectRule::bytes).toArray(byte[][]::new);
        options = new SubjectOptions[patterns.length + 1];
        options[0] = SubjectOptions.of(general, Map.of());
        for (int i = 0; i < patterns.length; i++) {
            options[i + 1] = this.rules.get(i).options();
        }
    }

    /** Returns whether no line exists, so that all subjects have the same options. */
    public boolean isEmpty() {
        return patterns.length == 0;
    }

    /** Returns the lines, in their order. */
    public List<SubjectRule> rules() {
        return rules;
    }

    /** Returns the options of subjects that match no line. */
    public SubjectOptions general() {
        return options[0];
    }

    /** Returns the options with this index, as {@link #indexOf} returned it. */
    public SubjectOptions at(int index) {
        return options[index];
    }

    /** Returns the index of a subject's options: that of the first line that matches, from 1 on, or 0 if none does. */
    public int indexOf(byte[] subject, int length) {
        for (int i = 0; i < patterns.length; i++) {
            if (Subjects.matches(patterns[i], subject, length)) {
                return i + 1;
            }
        }
        return 0;
    }

    /** Returns the options of a subject. */
    public SubjectOptions of(byte[] subject, int length) {
        return isEmpty() ? options[0] : options[indexOf(subject, length)];
    }

    /**
     * Returns whether the application is asked about a subscription to this subject or pattern: about a pattern if it matches some
     * subject whose options require that.
     */
    public boolean asksToSubscribe(byte[] wanted) {
        if (!Subjects.isPattern(wanted)) {
            return of(wanted, wanted.length).decisions().ofSubscribe();
        }
        for (int i = 0; i < patterns.length; i++) {
            if (options[i + 1].decisions().ofSubscribe() && Subjects.overlap(patterns[i], wanted)) {
                return true;
            }
            if (Subjects.covers(patterns[i], wanted, wanted.length)) {
                return false;
            }
        }
        return false;
    }

    /** Returns whether the options of any line, or the general ones, fulfil the condition. */
    public boolean any(Predicate<SubjectOptions> condition) {
        for (SubjectOptions each : options) {
            if (condition.test(each)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the longest age of a message in any history. */
    public long longestHistoryMillis() {
        long longest = 0;
        for (SubjectOptions each : options) {
            longest = Math.max(longest, each.historyMillis());
        }
        return longest;
    }

    /** Returns the rule that a subject breaks, or null if {@link #describe} accepts it. */
    public static @Nullable String problem(String subject) {
        byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
        return Subjects.problem(bytes, 0, bytes.length, false, true);
    }

    /** Returns the lines that {@code check --subject} prints for a valid subject: each option, its value and where it is set. */
    public List<String> describe(String subject, SlowConsumerConfig slow) {
        byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
        int index = indexOf(bytes, bytes.length);
        SubjectRule rule = index == 0 ? null : rules.get(index - 1);
        String head = rule == null
                ? "# no line Subjects.N matches; the general values apply"
                : "# " + rule.key() + " = " + rule.pattern() + " is the first line that matches";
        List<String> lines = new ArrayList<>(List.of(head));
        for (SubjectOption option : SubjectOption.values()) {
            if (option.exists()) {
                Object set = rule == null ? null : rule.set().get(option);
                String origin = rule == null || set == null ? option.general() : rule.key();
                String value = set != null
                        ? option.write(set)
                        : option == SubjectOption.SLOW
                                ? slow.policyOf(bytes).name().toLowerCase(Locale.ROOT)
                                : option.write(Objects.requireNonNull(general.get(option)));
                lines.add(option.text() + " = " + value + "  # " + origin);
            }
        }
        return lines;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SubjectRules same && rules.equals(same.rules) && general.equals(same.general);
    }

    @Override
    public int hashCode() {
        return Objects.hash(rules, general);
    }

    @Override
    public String toString() {
        return rules + ", general " + options[0];
    }
}
