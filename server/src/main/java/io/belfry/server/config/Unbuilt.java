package io.belfry.server.config;

import io.belfry.settings.Entry;
import io.belfry.settings.Problem;
import io.belfry.settings.Problems;
import io.belfry.settings.Settings;
import java.util.List;
import java.util.Map;

/** Refuses values that ask for what is not built yet, so that nobody believes to have it. Pure. */
final class Unbuilt {
    private static final Map<ConfigKey, List<String>> CHOICES = Map.of(ConfigKey.CLUSTER_ENGINE, List.of("kafka"));

    private static final List<ConfigKey> WHOLE_GROUPS = List.of(ConfigKey.KAFKA);

    private Unbuilt() {}

    static void refuse(Settings settings, Problems problems) {
        CHOICES.forEach((key, unbuilt) -> {
            if (unbuilt.contains(settings.choice(key))) {
                problems.add(key, "not built yet; use " + key.defaultText().orElseThrow());
            }
        });
        WHOLE_GROUPS.stream()
                .flatMap(key -> settings.entriesOf(key).stream())
                .map(Unbuilt::refusal)
                .forEach(problems::add);
    }

    private static Problem refusal(Entry entry) {
        return Problem.of(entry, true, "not built yet; remove this line");
    }
}
