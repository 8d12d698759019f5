package io.belfry.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    private static final List<String> SETS =
            List.of("jwt.secret = a=b", "KeyStorePassword=c", "Custom.Db=d", "Jwt.SecretFile=/e", "Memory=1 GB");

    @Test
    void secretsArePassedInTheEnvironment() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("Subjects", "/a,/b");
        settings.put("EntitlementToken", "hush");

        Arguments arguments = Arguments.of("BENCHPUB_", settings);

        assertThat(arguments.words()).containsExactly("--set", "Subjects=/a,/b");
        assertThat(arguments.environment()).containsExactly(Map.entry("BENCHPUB_ENTITLEMENTTOKEN", "hush"));
    }

    @Test
    void secretsOfTheServerAreFoundInAnyCase() {
        Arguments arguments = Arguments.of("BELFRY_", Arguments.split(SETS));

        assertThat(arguments.words()).containsExactly("--set", "Jwt.SecretFile=/e", "--set", "Memory=1 GB");
        assertThat(arguments.environment())
                .containsEntry("BELFRY_JWT_SECRET", "a=b")
                .containsEntry("BELFRY_KEYSTOREPASSWORD", "c")
                .containsEntry("BELFRY_CUSTOM_DB", "d")
                .hasSize(3);
    }

    @Test
    void secretsAreHiddenInReports() {
        assertThat(Arguments.withoutSecrets(Arguments.split(SETS)))
                .containsExactly(
                        Map.entry("jwt.secret", "(hidden)"),
                        Map.entry("KeyStorePassword", "(hidden)"),
                        Map.entry("Custom.Db", "(hidden)"),
                        Map.entry("Jwt.SecretFile", "/e"),
                        Map.entry("Memory", "1 GB"));
    }
}
