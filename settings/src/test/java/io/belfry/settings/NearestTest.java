package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
    private static final List<String> NAMES = List.of(
            "Listen", "ListenEncrypted", "MonitorJMX.Listen", "MaxMessageSize", "MaxBatchingSpace", "CacheSize");

    @Test
    void theNearestNameIsFoundWithoutRegardToCase() {
        assertThat(Nearest.to("listn", NAMES)).contains("Listen");
        assertThat(Nearest.to("MONITORJMXLISTEN", NAMES)).contains("MonitorJMX.Listen");
        assertThat(Nearest.to("MaxMesageSise", NAMES)).contains("MaxMessageSize");
        assertThat(Nearest.to("CahceSize", NAMES)).contains("CacheSize");
    }

    @Test
    void aNameThatDiffersByMoreThanHalfHasNoNearest() {
        assertThat(Nearest.to("Foo", NAMES)).isEmpty();
        assertThat(Nearest.to("Lsn", NAMES)).isEmpty();
        assertThat(Nearest.to("", NAMES)).isEmpty();
        assertThat(Nearest.to("Lisn", NAMES)).contains("Listen");
    }

    @Test
    void swappedNeighboursAreOneEdit() {
        assertThat(Nearest.distance("cahce", "cache")).isEqualTo(1);
        assertThat(Nearest.distance("", "abc")).isEqualTo(3);
        assertThat(Nearest.distance("kitten", "sitting")).isEqualTo(3);
        assertThat(Nearest.distance("same", "same")).isZero();
    }
}
