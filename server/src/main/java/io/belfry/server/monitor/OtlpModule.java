package io.belfry.server.monitor;

import io.belfry.server.config.OtlpConfig;
import io.belfry.server.trace.Tracer;
import java.io.IOException;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The optional module that exports metrics and spans by OTLP. The server finds it on its class path. */
public interface OtlpModule {
    /**
     * Starts the export, on threads of its own. Neither needs the receiver nor waits for it.
     *
     * @param node name of the node, for the resource of all metrics and spans
     * @param version version of the server
     * @param tracer source of the spans; null if calls are not traced
     */
    OtlpExport open(OtlpConfig config, String node, String version, @Nullable Tracer tracer);

    /** Returns the module, or throws with a message for the operator if its jar is missing. */
    static OtlpModule find() throws IOException {
        try {
            return ServiceLoader.load(OtlpModule.class, OtlpModule.class.getClassLoader())
                    .findFirst()
                    .orElseThrow(() -> new IOException("Otlp.Endpoint: the module belfry-otlp is not on the class path;"
                            + " build it with 'mvn -q -DskipTests -pl otlp -am package', or remove the key"));
        } catch (ServiceConfigurationError invalid) {
            throw new IOException(
                    "Otlp.Endpoint: the module belfry-otlp cannot be loaded: " + invalid.getMessage(), invalid);
        }
    }
}
