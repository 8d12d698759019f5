package io.belfry.server.callback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CircuitTest {
    private final Circuit circuit = new Circuit(100);

    private void fail(int times, long nowNanos) {
        for (int i = 0; i < times; i++) {
            circuit.onFailure(nowNanos);
        }
    }

    @Test
    void fiveFailuresInSequenceBeginAPause() {
        fail(4, 0);
        assertThat(circuit.take(0)).isTrue();
        assertThat(circuit.onFailure(0)).isTrue();
        assertThat(circuit.take(99)).isFalse();
    }

    @Test
    void oneRequestTestsTheReceiverAfterThePause() {
        fail(5, 0);
        assertThat(circuit.take(100)).isTrue();
        assertThat(circuit.take(101)).isFalse();
        circuit.onAnswer();
        assertThat(circuit.take(102)).isTrue();
    }

    @Test
    void anAnswerEndsTheSequence() {
        fail(4, 0);
        circuit.onAnswer();
        fail(4, 0);
        assertThat(circuit.take(0)).isTrue();
    }
}
