package io.belfry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Properties of a new cluster's id. */
class BrokersTest {
    @Test
    void aClusterIdNeverBeginsWithADash() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            ids.add(Brokers.newId());
        }
        assertThat(ids).hasSize(10_000).allMatch(id -> id.matches("[A-Za-z][A-Za-z0-9_-]{21}"));
    }
}
