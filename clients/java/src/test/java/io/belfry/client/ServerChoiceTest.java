package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The choice of the next server, with given random numbers and a clock set by hand. */
class ServerChoiceTest {
    private static final ServerAddress LARGE = ServerAddress.parse("ws://large", 3);
    private static final ServerAddress SMALL = ServerAddress.parse("wss://small:9", 1);

    private final ServerChoice choice = new ServerChoice(List.of(LARGE, SMALL), 100, new SplittableRandom(1));

    private Map<ServerAddress, Integer> picks(long nowNanos) {
        Map<ServerAddress, Integer> picks = new HashMap<>();
        for (int i = 0; i < 4000; i++) {
            picks.merge(choice.next(nowNanos), 1, Integer::sum);
        }
        return picks;
    }

    @Test
    void serversAreChosenByWeight() {
        assertThat(picks(0).get(LARGE)).isBetween(2850, 3150);
    }

    @Test
    void aServerThatFailedIsAvoidedForAWhile() {
        choice.putAside(LARGE, 0, 0);
        assertThat(picks(99)).containsOnlyKeys(SMALL);
        assertThat(picks(100)).containsKeys(LARGE, SMALL);
    }

    @Test
    void aServerIsAvoidedForTheTimeItAsksFor() {
        choice.putAside(LARGE, 0, 500);
        assertThat(picks(499)).containsOnlyKeys(SMALL);
        assertThat(picks(500)).containsKeys(LARGE, SMALL);
    }

    @Test
    void hasOtherIsTrueWhileAServerIsNotAvoided() {
        choice.putAside(LARGE, 0, 0);
        assertThat(choice.hasOther(0)).isTrue();
        choice.putAside(SMALL, 50, 0);
        assertThat(choice.hasOther(99)).isFalse();
        assertThat(choice.hasOther(100)).isTrue();
    }

    @Test
    void ifAllFailedTheLongestAvoidedIsNext() {
        choice.putAside(SMALL, 10, 0);
        choice.putAside(LARGE, 20, 0);
        assertThat(choice.next(30)).isEqualTo(SMALL);
        choice.putAside(SMALL, 30, 0);
        assertThat(choice.next(40)).isEqualTo(LARGE);
    }

    @Test
    void aServerThatWorkedIsNotAvoided() {
        choice.putAside(LARGE, 0, 0);
        choice.worked(LARGE);
        assertThat(picks(1)).containsKeys(LARGE, SMALL);
    }

    @Test
    void addressesAreParsedWithTheirDefaults() {
        assertThat(ServerAddress.parse("ws://a", 1).port()).isEqualTo(8800);
        assertThat(ServerAddress.parse("https://a/b", 1)).isEqualTo(new ServerAddress(true, "a", 443, "/b", 1));
        assertThat(ServerAddress.parse("ws://[::1]:5", 1).hostHeader()).isEqualTo("[::1]:5");
        assertThat(ServerAddress.parse("wss://a:1/x/", 1).pathOf("/publish")).isEqualTo("/x/publish");
    }

    @Test
    void anInvalidAddressIsRejectedWithTheRule() {
        assertThatThrownBy(() -> ServerAddress.parse("ftp://a", 1)).hasMessageContaining("ws://host:port");
        assertThatThrownBy(() -> ServerAddress.parse("a:1", 1)).hasMessageContaining("ws://host:port");
        assertThatThrownBy(() -> ServerAddress.parse("ws://a", 0)).hasMessageContaining("weight");
    }
}
