package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Finding;
import io.belfry.server.log.LogSetup;
import io.belfry.server.tls.Tls;
import io.belfry.server.tls.TlsException;
import java.time.InstantSource;
import java.util.List;

/** Judges the certificate and the key that a configuration names, in their files, as a server would. Pure, but for these. */
final class CertificateCheck {
    private static final String MEND = ": chmod ";

    private CertificateCheck() {}

    /** What is not wrong but not well either; throws where a server would not start. */
    static List<String> warnings(ServerConfig config) throws TlsException {
        if (config.listen().encrypted().isEmpty()) {
            return List.of();
        }
        LogSetup.silence();
        return Tls.check(config.tls(), InstantSource.system());
    }

    /** The same, as shortfalls of this host. */
    static List<Finding> findings(ServerConfig config) {
        try {
            return warnings(config).stream().map(CertificateCheck::advice).toList();
        } catch (TlsException unusable) {
            return List.of(new Finding(
                    Finding.Severity.SERIOUS,
                    "certificate: " + unusable.getMessage(),
                    List.of("bin/belfry check   # with the same options, until it has nothing to say")));
        }
    }

    private static Finding advice(String warning) {
        int mend = warning.indexOf(MEND);
        return mend < 0
                ? new Finding(Finding.Severity.ADVICE, "certificate: " + warning, List.of())
                : new Finding(
                        Finding.Severity.ADVICE,
                        "certificate: " + warning.substring(0, mend),
                        List.of(warning.substring(mend + 2)));
    }
}
