package io.belfry.fuzz;

import io.belfry.client.connection.ClientHttpTarget;
import io.belfry.server.disk.LogFilesTarget;
import io.belfry.server.entitlement.JwtTarget;
import io.belfry.server.history.LogBatchTarget;
import java.util.Locale;
import java.util.function.Consumer;

/** The fuzz targets. The class of each has the method that Jazzer calls. */
enum FuzzTarget {
    BINARY_COMMANDS(BinaryCommandsTarget.class, BinaryCommandsTarget::fuzzerTestOneInput),
    JSON_COMMANDS(JsonCommandsTarget.class, JsonCommandsTarget::fuzzerTestOneInput),
    SERVER_EVENTS(ServerEventsTarget.class, ServerEventsTarget::fuzzerTestOneInput),
    WEB_SOCKET(WebSocketTarget.class, WebSocketTarget::fuzzerTestOneInput),
    DEFLATE(DeflateTarget.class, DeflateTarget::fuzzerTestOneInput),
    DELTA(DeltaTarget.class, DeltaTarget::fuzzerTestOneInput),
    HTTP(HttpTarget.class, HttpTarget::fuzzerTestOneInput),
    QUERY(QueryTarget.class, QueryTarget::fuzzerTestOneInput),
    SETTINGS(SettingsTarget.class, SettingsTarget::fuzzerTestOneInput),
    PROXY(ProxyTarget.class, ProxyTarget::fuzzerTestOneInput),
    JWT(JwtTarget.class, JwtTarget::fuzzerTestOneInput),
    CLIENT_HTTP(ClientHttpTarget.class, ClientHttpTarget::fuzzerTestOneInput),
    LOG_BATCH(LogBatchTarget.class, LogBatchTarget::fuzzerTestOneInput),
    LOG_FILES(LogFilesTarget.class, LogFilesTarget::fuzzerTestOneInput);

    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // The values are references to static methods.
    private final Consumer<byte[]> run;

    FuzzTarget(Class<?> type, Consumer<byte[]> run) {
        this.type = type;
        this.run = run;
    }

    String className() {
        return type.getName();
    }

    /** Returns the name of the folder with its corpus. */
    String folder() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void run(byte[] input) {
        run.accept(input);
    }
}
