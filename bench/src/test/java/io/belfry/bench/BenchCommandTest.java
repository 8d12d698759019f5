package io.belfry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
    @Test
    void theCommandOfAReportHasNoSecrets() {
        List<String> words = List.of(
                "fanout",
                "--token",
                "a",
                "--server-set",
                "Jwt.Secret=b",
                "--server-set=Custom.Db=c",
                "--hold",
                "1 s +-5 %");
        assertThat(BenchCommand.commandLine(words))
                .isEqualTo("bin/bench fanout --token (hidden) --server-set Jwt.Secret=(hidden)"
                        + " --server-set=Custom.Db=(hidden) --hold '1 s +-5 %'");
    }
}
