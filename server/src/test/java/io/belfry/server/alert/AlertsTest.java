package io.belfry.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks the server's conditions with the series with which promtool checks the expressions for Prometheus. */
class AlertsTest {
    private static final int LAST_MINUTE = 30;

    private static List<AlertRule> raised(List<String> series) {
        SeriesFigures figures = new SeriesFigures(series);
        Alerts alerts = new Alerts();
        for (int minute = 0; minute <= LAST_MINUTE; minute++) {
            figures.at(minute);
            alerts.evaluate(figures, TimeUnit.MINUTES.toMillis(minute));
        }
        return alerts.raised().stream().map(Alert::rule).toList();
    }

    @Test
    void anAlertIsRaisedByItsSeries() {
        // A server cannot see that it is down.
        EnumSet.complementOf(EnumSet.of(AlertRule.BELFRY_DOWN))
                .forEach(rule ->
                        assertThat(raised(AlertSeries.of(rule).raising())).containsExactly(rule));
    }

    @Test
    void anAlertIsNotRaisedByHarmlessSeries() {
        assertThat(AlertRule.values())
                .allSatisfy(rule ->
                        assertThat(raised(AlertSeries.of(rule).harmless())).isEmpty());
    }
}
