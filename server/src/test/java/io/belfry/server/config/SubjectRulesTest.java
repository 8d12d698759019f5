package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.settings.SettingsException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SubjectRulesTest {
    private static EffectiveConfig config(String... sets) {
        return ConfigLoader.effective(Optional.empty(), Map.of(), List.of(sets));
    }

    private static SubjectOptions of(EffectiveConfig config, String subject) {
        byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
        return config.config().subjects().of(bytes, bytes.length);
    }

    private static List<String> problems(String... sets) {
        List<String> found = new ArrayList<>();
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> config(sets))
                .satisfies(thrown ->
                        thrown.problems().forEach(problem -> found.add(problem.what() + ": " + problem.rule())));
        return found;
    }

    @Test
    void withoutLinesEverySubjectHasTheGeneralValues() {
        EffectiveConfig config = config("CacheSize=7");
        assertThat(config.config().subjects().isEmpty()).isTrue();
        assertThat(of(config, "/a"))
                .isEqualTo(new SubjectOptions(
                        7,
                        180_000,
                        Long.MAX_VALUE,
                        SubjectOptions.Retention.ALLOWED,
                        HistoryConfig.NO_EXPIRY,
                        false,
                        SubjectOptions.Publishers.PERMITTED,
                        null,
                        true,
                        false,
                        SubjectOptions.Decisions.NONE,
                        SubjectOptions.Events.NONE));
    }

    @Test
    void theFirstMatchInTheOrderOfTheNumbersApplies() {
        EffectiveConfig config = config(
                "Subjects.100=/** history=1",
                "Subjects.20=/rooms/* history=2",
                "Subjects.3=/rooms/7 history=3 history-age=1h history-bytes=2KB");
        assertThat(of(config, "/rooms/7"))
                .extracting(SubjectOptions::historySize)
                .isEqualTo(3);
        assertThat(of(config, "/rooms/7").historyMillis()).isEqualTo(3_600_000);
        assertThat(of(config, "/rooms/7").historyBytes()).isEqualTo(2048);
        assertThat(of(config, "/rooms/8").historySize()).isEqualTo(2);
        assertThat(of(config, "/rooms/8").historyMillis()).isEqualTo(180_000);
        assertThat(of(config, "/rooms/8/x").historySize()).isEqualTo(1);
    }

    @Test
    void aPatternMayHaveSpaces() {
        assertThat(of(config("Subjects.1 = /my rooms/*  history=2"), "/my rooms/a")
                        .historySize())
                .isEqualTo(2);
    }

    @Test
    void zeroIsNoLimitForAgeAndBytes() {
        SubjectOptions options = of(config("Subjects.1=/a history-age=0 history-bytes=0"), "/a");
        assertThat(options.historyMillis()).isEqualTo(HistoryConfig.NO_EXPIRY);
        assertThat(options.historyBytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void everyErrorIsReportedWithItsLine() {
        assertThat(problems(
                        "Subjects.0=/a history=1",
                        "Subjects.x=/a history=1",
                        "Subjects.1=/a",
                        "Subjects.2=a/** history=1",
                        "Subjects.3=/b histroy=1 history=-1 history",
                        "Subjects.4=/c history=1 history=2"))
                .satisfiesExactlyInAnyOrder(
                        each -> assertThat(each).startsWith("Subjects.0 =").contains("number from 1 to 9999"),
                        each -> assertThat(each).startsWith("Subjects.x =").contains("number from 1 to 9999"),
                        each -> assertThat(each).startsWith("Subjects.1 = /a:").contains("a pattern and options"),
                        each -> assertThat(each).startsWith("Subjects.2 =").contains("must begin with '/'"),
                        each -> assertThat(each)
                                .startsWith("Subjects.3 =")
                                .contains("histroy is not an option; the options are history, history-age"),
                        each -> assertThat(each).startsWith("Subjects.3 =").contains("history=-1: must be from 0"),
                        each -> assertThat(each).startsWith("Subjects.3 =").contains("history must be option=value"),
                        each -> assertThat(each).startsWith("Subjects.4 =").contains("history is set twice"));
    }

    @Test
    void aLineThatCanNeverMatchIsAnError() {
        assertThat(problems("Subjects.5=/rooms/** history=1", "Subjects.6=/rooms/*/x history=2"))
                .singleElement()
                .asString()
                .startsWith("Subjects.6 =")
                .contains("is never used: Subjects.5 = /rooms/**");
    }

    @Test
    void moreLinesThanAllowedAreAnError() {
        String[] lines = new String[65];
        Arrays.setAll(lines, i -> "Subjects." + (i + 1) + "=/" + i + " history=1");
        assertThat(problems(lines)).singleElement().asString().contains("65 lines, but at most 64");
    }

    @Test
    void optionsOfFeaturesThatDoNotExistAreErrors() {
        for (SubjectOption option : SubjectOption.values()) {
            if (!option.exists()) {
                assertThat(problems("Subjects.1=/a " + option.text() + "=none"))
                        .singleElement()
                        .asString()
                        .contains(option.text() + " is not an option");
            }
        }
    }

    @Test
    void decisionsNeedAnApplication() {
        assertThat(problems("Entitlement=None", "Subjects.1=/a decisions=both"))
                .singleElement()
                .asString()
                .contains("decisions=both needs Entitlement = Http");
        assertThat(of(config("Entitlement=None", "Subjects.1=/a decisions=none"), "/a")
                        .decisions())
                .isEqualTo(SubjectOptions.Decisions.NONE);
    }

    @Test
    void eventsNeedAReceiver() {
        assertThat(problems("Subjects.7=/a events=subscribers"))
                .singleElement()
                .asString()
                .startsWith("Subjects.7 =")
                .contains("the option events needs a receiver");
        EffectiveConfig config = config("Events.Subject=all", "Subjects.7=/a events=subscribers");
        assertThat(of(config, "/a").events()).isEqualTo(SubjectOptions.Events.SUBSCRIBERS);
        assertThat(of(config, "/b").events()).isEqualTo(SubjectOptions.Events.NONE);
    }

    @Test
    void eventsOfMessagesNeedASingleNode() {
        for (String option : List.of("messages", "both")) {
            assertThat(problems(
                            "ClusterEngine=kafka",
                            "Kafka.Brokers=127.0.0.1:1",
                            "Events.Subject=all",
                            "Subjects.7=/a events=" + option))
                    .singleElement()
                    .asString()
                    .startsWith("Subjects.7 =")
                    .contains("not possible under ClusterEngine = kafka");
        }
        EffectiveConfig config = config("Events.Subject=all", "Subjects.7=/a events=both");
        assertThat(of(config, "/a").events().ofMessages()).isTrue();
        assertThat(of(config, "/a").events().ofSubscribers()).isTrue();
    }

    @Test
    void aPatternIsAskedAboutIfSomeOfItsSubjectsAre() {
        SubjectRules rules = config(
                        "Entitlement=Http",
                        "Decide.Url=http://127.0.0.1:1/",
                        "Decide.Secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                        "Subjects.1=/rooms/public/** history=1",
                        "Subjects.2=/rooms/** decisions=subscribe",
                        "Subjects.3=/other/* decisions=publish")
                .config()
                .subjects();
        for (String asked : List.of("/rooms/7", "/rooms/*", "/**", "/*/x", "/rooms/*/x")) {
            assertThat(rules.asksToSubscribe(asked.getBytes(StandardCharsets.UTF_8)))
                    .as(asked)
                    .isTrue();
        }
        for (String free : List.of("/rooms", "/rooms/public/1", "/rooms/public/*", "/other/1", "/other/*", "/$s/**")) {
            assertThat(rules.asksToSubscribe(free.getBytes(StandardCharsets.UTF_8)))
                    .as(free)
                    .isFalse();
        }
    }

    @Test
    void aHistoryNeedsTheGeneralOne() {
        assertThat(problems("CacheSize=0", "Subjects.1=/a history=1"))
                .singleElement()
                .asString()
                .contains("a line Subjects.N sets history");
    }

    @Test
    void aClusterNeedsALimitOfTheAge() {
        assertThat(problems("ClusterEngine=kafka", "Kafka.Brokers=127.0.0.1:1", "Subjects.1=/a history-age=0"))
                .singleElement()
                .asString()
                .startsWith("Subjects.1 =")
                .contains("history-age must not be 0");
    }

    @Test
    void presenceNeedsAHistory() {
        EffectiveConfig ofCluster =
                config("ClusterEngine=kafka", "Kafka.Brokers=127.0.0.1:1", "Subjects.4=/a presence=yes");
        assertThat(of(ofCluster, "/a").presence()).isTrue();
        assertThat(problems("CacheSize=0", "Subjects.4=/a presence=yes"))
                .singleElement()
                .asString()
                .startsWith("Subjects.4 =")
                .contains("needs a history");
        EffectiveConfig config = config("Subjects.4=/a presence=yes", "Presence.LeaveTime=2 s");
        assertThat(of(config, "/a").presence()).isTrue();
        assertThat(config.config().presence()).isEqualTo(new PresenceConfig(1000, 2_000));
    }

    @Test
    void theDescriptionNamesTheSourceOfEachValue() {
        SubjectRules rules = config("CacheSize=9", "Subjects.10=/rooms/** history-age=10m")
                .config()
                .subjects();
        assertThat(rules.describe("/rooms/7", ServerConfig.defaults().slowConsumer()))
                .startsWith(
                        "# Subjects.10 = /rooms/** is the first line that matches",
                        "history = 9  # CacheSize",
                        "history-age = 600 s  # Subjects.10",
                        "history-bytes = 0  # default");
        assertThat(rules.describe("/x", ServerConfig.defaults().slowConsumer()))
                .startsWith(
                        "# no line Subjects.N matches; the general values apply",
                        "history = 9  # CacheSize",
                        "history-age = 180 s  # CacheExpireTime");
        assertThat(SubjectRules.problem("x")).isEqualTo("a subject must begin with '/'");
    }

    @Test
    void aReloadReplacesTheLines() {
        EffectiveConfig before = config("Subjects.1=/a history=1", "Subjects.2=/b history=2");
        EffectiveConfig after = config("Subjects.2=/b history=3");
        assertThat(ConfigDiff.between(before, after).atOnce()).containsExactly(ConfigKey.SUBJECTS);
        EffectiveConfig reloaded = before.reloadedWith(after);
        assertThat(of(reloaded, "/a").historySize()).isEqualTo(1000);
        assertThat(of(reloaded, "/b").historySize()).isEqualTo(3);
    }
}
