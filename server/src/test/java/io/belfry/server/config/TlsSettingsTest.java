package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.settings.Problem;
import io.belfry.settings.SettingsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the keys about TLS as they are read from a file. */
class TlsSettingsTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void incompleteTlsSettingsAreRefused() {
        assertThat(problems("ListenEncrypted = *:8443"))
                .containsExactly(at(1, "ListenEncrypted = *:8443: needs Certificate and CertificateKey, or KeyStore"));
        assertThat(problems("Certificate = a.pem")).containsExactly(at(1, "Certificate = a.pem: needs CertificateKey"));
        assertThat(problems("CertificateKey = a.key"))
                .containsExactly(at(1, "CertificateKey = a.key: needs Certificate"));
        assertThat(problems("CertificateKeyPassword = x"))
                .containsExactly(at(1, "CertificateKeyPassword = (hidden): needs CertificateKey"));
        assertThat(problems("Tls.ClientCertificates = Need"))
                .containsExactly(at(1, "Tls.ClientCertificates = Need: needs Tls.ClientAuthorities"));
    }

    @Test
    void aPemPairHasPrecedenceOverTheKeyStoreForListeners() {
        ServerConfig config = load(
                "ListenEncrypted = *:8443",
                "Certificate = a.pem",
                "CertificateKey = a.key",
                "CertificateKeyPassword = swordfish",
                "KeyStore = a.p12");
        assertThat(config.network().tls().identity())
                .contains(new TlsConfig.Source.Pem(Path.of("a.pem"), Path.of("a.key"), Optional.of("swordfish")));
        assertThat(config.toString()).doesNotContain("swordfish");
        assertThat(load("KeyStore = a.p12", "KeyStorePassword = swordfish")
                        .network()
                        .tls()
                        .toString())
                .contains("a.p12")
                .doesNotContain("swordfish");
    }

    @Test
    void tlsGroupsHaveAliasesAndIgnoreCase() {
        assertThat(load().network().tls().groups()).isEqualTo(TlsGroup.INTERMEDIATE);
        assertThat(load("Tls.Groups = p-521, X25519, prime256v1, secp384R1")
                        .network()
                        .tls()
                        .groups())
                .containsExactly(TlsGroup.SECP521R1, TlsGroup.X25519, TlsGroup.SECP256R1, TlsGroup.SECP384R1);
    }

    @Test
    void anUnknownTlsGroupIsReportedWithTheAllowedOnes() {
        assertThat(problems("Tls.Groups = X25519, brainpoolP256r1"))
                .singleElement()
                .asString()
                .endsWith("brainpoolP256r1 is not a known group; must be a list of X25519, secp256r1, secp384r1,"
                        + " secp521r1, X448");
        assertThat(problems("Tls.Groups = P-256, prime256v1"))
                .singleElement()
                .asString()
                .contains("contains a group twice");
        assertThat(problems("Tls.Groups = none")).singleElement().asString().contains("must name at least one of");
    }

    private ServerConfig load(String... lines) {
        return ConfigLoader.load(Optional.of(write(lines)), Map.of(), List.of());
    }

    private List<String> problems(String... lines) {
        try {
            load(lines);
            return List.of();
        } catch (SettingsException refused) {
            return refused.problems().stream().map(Problem::toString).toList();
        }
    }

    private String at(int line, String rest) {
        return folder.resolve("belfry.conf") + ":" + line + ": " + rest;
    }

    private Path write(String... lines) {
        try {
            return Files.writeString(folder.resolve("belfry.conf"), String.join("\n", lines));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
