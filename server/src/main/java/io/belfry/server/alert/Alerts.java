package io.belfry.server.alert;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Evaluates the rules. An alert is raised when its condition has been true for the rule's time. Owner: one thread. */
public final class Alerts {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);

    private final Map<AlertRule, Long> trueSince = new EnumMap<>(AlertRule.class);
    private volatile List<Alert> raised = List.of();

    /** Returns the raised alerts, the most severe first. Any thread. */
    public List<Alert> raised() {
        return raised;
    }

    /** Evaluates all rules with the figures of this time, and logs the changes. */
    public void evaluate(AlertFigures figures, long nowMillis) {
        List<Alert> now = new ArrayList<>();
        for (AlertRule rule : AlertRule.values()) {
            evaluate(rule, figures, nowMillis).ifPresent(now::add);
        }
        now.sort(Comparator.comparing((Alert alert) -> alert.rule().severity()).thenComparingLong(Alert::sinceMillis));
        Set<AlertRule> before = rules(raised);
        raised = List.copyOf(now);
        now.stream()
                .filter(alert -> !before.contains(alert.rule()))
                .forEach(alert -> LOG.warn(
                        "alert raised: {}; {}", alert.sentence(), alert.rule().nextStep()));
        before.removeAll(rules(now));
        before.forEach(rule -> LOG.info("alert ended: {}", rule.title()));
    }

    private static Set<AlertRule> rules(List<Alert> alerts) {
        return alerts.stream().map(Alert::rule).collect(Collectors.toCollection(() -> EnumSet.noneOf(AlertRule.class)));
    }

    private Optional<Alert> evaluate(AlertRule rule, AlertFigures figures, long nowMillis) {
        Optional<String> reason = rule.reason(figures);
        if (reason.isEmpty()) {
            trueSince.remove(rule);
            return Optional.empty();
        }
        long since = trueSince.computeIfAbsent(rule, first -> nowMillis);
        return nowMillis - since >= TimeUnit.MINUTES.toMillis(rule.minutes())
                ? Optional.of(new Alert(rule, reason.get(), since))
                : Optional.empty();
    }
}
