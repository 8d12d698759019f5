package io.belfry.server.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.edge.NameDirectory.Holder;
import org.junit.jupiter.api.Test;

class NameDirectoryTest {
    private static final Holder FIRST = new Holder(0, 7);
    private static final Holder SECOND = new Holder(1, 7);

    private final NameDirectory directory = new NameDirectory();

    @Test
    void theNewcomerGetsTheNameAndReplacesTheOlderSession() {
        assertThat(directory.claim("a", FIRST)).isNull();
        assertThat(directory.claim("a", SECOND)).isEqualTo(FIRST);
        assertThat(directory.claim("b", FIRST)).isNull();
        assertThat(directory.size()).isEqualTo(2);
    }

    @Test
    void aLateReleaseOfTheOlderSessionDoesNotRemoveTheNewcomer() {
        directory.claim("a", FIRST);
        directory.claim("a", SECOND);
        directory.release("a", FIRST);
        assertThat(directory.has("a")).isTrue();
        directory.release("a", SECOND);
        assertThat(directory.has("a")).isFalse();
        assertThat(directory.size()).isZero();
    }

    @Test
    void aReleaseOfANameThatNobodyHasIsIgnored() {
        directory.release("a", FIRST);
        assertThat(directory.size()).isZero();
    }
}
