package io.belfry.bench.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One measurement. Parts that were not measured are null. Immutable.
 *
 * @param connections that stood when the measurement began; null where clients come and go
 * @param latency of messages, from the intended send to the arrival
 * @param connect from the connect call to the server's answer that makes the client ready
 * @param phases of clients that come and go; otherwise there are none
 * @param findings the first ones of each generator and kind
 */
public record Run(
        String name,
        String sentence,
        @Nullable Integer connections,
        double measuredSeconds,
        @Nullable Latency latency,
        @Nullable Latency connect,
        List<Phase> phases,
        @Nullable Rates rates,
        @Nullable Delivery delivery,
        List<Finding> findings,
        @Nullable Server server,
        @Nullable Memory memory,
        List<Sample> samples,
        List<Generator> generators) {
    /** Messages and connections a second, within the measurement. */
    public record Rates(
            @Nullable Double askedPerSecond,
            @Nullable Double publishedPerSecond,
            @Nullable Double deliveredPerSecond,
            @Nullable Double connectsPerSecond) {}

    /** Ramp up, sustain or ramp down: how long the clients that came in it took to connect. */
    public record Phase(String name, double seconds, double connectsPerSecond, Latency connect) {}

    /**
     * Messages of a publisher to a subject that did not come to a client once and in order.
     *
     * @param kind {@code lost}, {@code duplicated} or {@code reordered}
     * @param from the first of their numbers
     */
    public record Finding(
            String generator, String kind, String subject, long publisher, long client, long from, long to) {}

    /**
     * What became of every message, warm-up included.
     *
     * @param expected what the publisher's end marks say was meant for these clients; null where not all of them came
     * @param sentByServer what the server counts as handed to sockets
     * @param endMarks of publishers, which the server counts as messages too
     * @param disconnections of clients that read
     * @param stalled readers that were told to stop reading; of those that were not disconnected: what came, what a gap
     *     announced as dropped or conflated, what neither came nor was announced, came again, or was still owed at the end
     */
    public record Delivery(
            @Nullable Long published,
            @Nullable Long acknowledged,
            @Nullable Long expected,
            @Nullable Long sentByServer,
            long received,
            long endMarks,
            long lost,
            long duplicated,
            long reordered,
            long misdelivered,
            long positionsMissing,
            long gapsAnnounced,
            long disconnections,
            long connectsFailed,
            long stalled,
            long stalledDisconnected,
            long stalledReceived,
            long stalledDropped,
            long stalledConflated,
            long stalledSkipped,
            long stalledRepeated,
            long stalledBehind,
            long errors) {
        /** Whether every message came once and in order. */
        @JsonIgnore
        public boolean isWhole() {
            return lost + duplicated + reordered + misdelivered + positionsMissing == 0;
        }
    }

    /**
     * The server under test within the measurement.
     *
     * @param note why the CPU is not known; null where it is
     * @param figures the monitor's {@code /stats} at the end
     */
    public record Server(
            @Nullable Double cpuSeconds,
            @Nullable Double coresBusy,
            @Nullable Double cpuSecondsPerMillionDeliveries,
            @Nullable Double cpuSecondsPerMillionConnects,
            @Nullable String note,
            List<String> jvm,
            Map<String, String> settings,
            @Nullable JsonNode figures) {}

    /** Of all connections together; each per connection. Kernel: the buffers of all TCP sockets of the machine. */
    public record Memory(
            int connections,
            long heapBytesBefore,
            long heapBytesWith,
            double heapBytesPerConnection,
            long processBytesBefore,
            long processBytesWith,
            double processBytesPerConnection,
            long kernelBytesBefore,
            long kernelBytesWith,
            double kernelBytesPerConnection) {
        /** At one moment. */
        public record Moment(long heapBytes, long processBytes, long kernelBytes) {}

        public static Memory between(Moment before, Moment with, int connections) {
            return new Memory(
                    connections,
                    before.heapBytes(),
                    with.heapBytes(),
                    each(before.heapBytes(), with.heapBytes(), connections),
                    before.processBytes(),
                    with.processBytes(),
                    each(before.processBytes(), with.processBytes(), connections),
                    before.kernelBytes(),
                    with.kernelBytes(),
                    each(before.kernelBytes(), with.kernelBytes(), connections));
        }

        private static double each(long before, long with, int connections) {
            return connections == 0 ? 0 : Math.max(0, with - before) / (double) connections;
        }
    }

    /** What was seen from outside at some second of the measurement; rates are since the look before. */
    public record Sample(
            double second,
            @Nullable Long connections,
            @Nullable Double publishedPerSecond,
            @Nullable Double deliveredPerSecond,
            @Nullable Double connectsPerSecond,
            @Nullable Double disconnectsPerSecond,
            @Nullable Double serverCores,
            @Nullable Double generatorCores,
            @Nullable Double machineCores,
            @Nullable Long processBytes,
            @Nullable Long heapBytes,
            @Nullable Long directBytes,
            @Nullable Long kernelBytes,
            @Nullable Double loopLagP99Millis,
            @Nullable Double loopLagMaxMillis,
            @Nullable Long queuedBytes,
            @Nullable Long slowSessions) {}

    /**
     * A load generator of its own process.
     *
     * @param coresBusy within the measurement
     * @param lag from the intended send to the hand-over to the socket, publishers only
     * @param loopLag how late its event loops came to what was due
     */
    public record Generator(
            String name,
            String program,
            int clients,
            int ready,
            int exitCode,
            @Nullable Double cpuSeconds,
            @Nullable Double coresBusy,
            @Nullable Lag lag,
            @Nullable Lag loopLag,
            List<String> problems,
            Map<String, String> settings) {}

    /** How late a generator was. */
    public record Lag(long count, double maxMillis, Map<String, Double> percentilesMillis) {}
}
