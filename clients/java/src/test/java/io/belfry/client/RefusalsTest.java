package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.connection.Ending;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private static boolean isFinal(int closeCode, String code) {
        return Refusals.isFinal(new Ending(Ending.Cause.CLOSED_BY_SERVER, "closed", closeCode, code, 0));
    }

    @Test
    void aClientWhoseNameWasTakenDoesNotReconnect() {
        assertThat(isFinal(4014, "client-taken")).isTrue();
        assertThat(isFinal(4013, "session-taken")).isFalse();
    }
}
