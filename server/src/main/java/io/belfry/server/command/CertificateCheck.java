package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Finding;
import io.belfry.server.tls.Tls;
import io.belfry.server.tls.TlsException;
import java.time.InstantSource;
import java.util.List;

/** Checks the configured certificate and key files in the same way as a starting server. It only reads the files. */
final class CertificateCheck {
    private static final String FIX = ": chmod ";

    private CertificateCheck() {}

    /** Returns problems that do not prevent a start; throws if the server could not start with these files. */
    static List<String> warnings(ServerConfig config) throws TlsException {
        if (config.network().listen().encrypted().isEmpty()) {
            return List.of();
        }
        return Tls.check(config.network().tls(), InstantSource.system());
    }

    /** Returns the same problems as findings for the {@code doctor} command. */
    static List<Finding> findings(ServerConfig config) {
        try {
            return warnings(config).stream().map(CertificateCheck::advice).toList();
        } catch (TlsException unusable) {
            return List.of(new Finding(
                    Finding.Severity.SERIOUS,
                    "certificate: " + unusable.getMessage(),
                    List.of("bin/belfry check   # with the same options; repeat until it reports no problem")));
        }
    }

    private static Finding advice(String warning) {
        int fix = warning.indexOf(FIX);
        return fix < 0
                ? new Finding(Finding.Severity.ADVICE, "certificate: " + warning, List.of())
                : new Finding(
                        Finding.Severity.ADVICE,
                        "certificate: " + warning.substring(0, fix),
                        List.of(warning.substring(fix + 2)));
    }
}
