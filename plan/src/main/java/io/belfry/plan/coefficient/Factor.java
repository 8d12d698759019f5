package io.belfry.plan.coefficient;

import java.util.Arrays;
import java.util.Optional;

/** Every coefficient the model uses, under the name that {@code coefficients.json} has it by. */
public enum Factor {
    HEAP_SESSION("heap-session", Unit.BYTES),
    HEAP_SUBSCRIPTION("heap-subscription", Unit.BYTES),
    HEAP_TLS("heap-tls", Unit.BYTES),
    HEAP_STREAM("heap-stream", Unit.BYTES),
    HEAP_FILL("heap-fill", Unit.SHARE),
    NATIVE_TLS("native-tls", Unit.BYTES),
    NATIVE_JVM("native-jvm", Unit.BYTES),
    KERNEL_SOCKET("kernel-socket", Unit.BYTES),
    KERNEL_UNREAD("kernel-unread", Unit.BYTES),
    HISTORY_MESSAGE("history-message", Unit.BYTES),
    HISTORY_ROOM("history-room", Unit.COUNT),
    HISTORY_LANE("history-lane", Unit.BYTES),

    CPU_BASE("cpu-base", Unit.CORES),
    CPU_DELIVERY("cpu-delivery", Unit.MICROS),
    CPU_PUBLISH("cpu-publish", Unit.MICROS),
    CPU_PING("cpu-ping", Unit.MICROS),
    CPU_STREAM("cpu-stream", Unit.MICROS),
    CPU_TLS_RECORD("cpu-tls-record", Unit.MICROS),
    CPU_CONNECT("cpu-connect", Unit.MICROS),
    CPU_TLS_HANDSHAKE("cpu-tls-handshake", Unit.MICROS),
    CPU_HISTORY("cpu-history", Unit.MICROS),
    CPU_LOG_READ("cpu-log-read", Unit.MICROS),
    CPU_LOG_FETCH("cpu-log-fetch", Unit.MICROS),
    CPU_LOG_FETCHES("cpu-log-fetches", Unit.CORES),
    CPU_LOG_WRITE("cpu-log-write", Unit.MICROS),
    CPU_LOG_REQUEST("cpu-log-request", Unit.MICROS),
    CPU_LOG_REQUESTS("cpu-log-requests", Unit.CORES),

    WIRE_BINARY("wire-binary", Unit.BYTES),
    WIRE_JSON("wire-json", Unit.BYTES),
    WIRE_STREAM("wire-stream", Unit.BYTES),
    WIRE_TLS("wire-tls", Unit.BYTES),
    WIRE_PACKET("wire-packet", Unit.BYTES),
    PACKET_DATA("packet-data", Unit.BYTES),

    LOG_RECORD("log-record", Unit.BYTES),
    BROKER_CPU_MESSAGE("broker-cpu-message", Unit.MICROS),
    BROKER_CPU_BYTE("broker-cpu-byte", Unit.NANOS);

    private final String key;
    private final Unit unit;

    Factor(String key, Unit unit) {
        this.key = key;
        this.unit = unit;
    }

    public String key() {
        return key;
    }

    public Unit unit() {
        return unit;
    }

    public static Optional<Factor> of(String key) {
        return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
    }
}
