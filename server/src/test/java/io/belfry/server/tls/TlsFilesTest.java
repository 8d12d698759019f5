package io.belfry.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests certificates and keys in common formats, and the errors of unusable ones. */
class TlsFilesTest {
    @TempDir
    private static Path shared;

    private static Keys curve;
    private static Keys rsa;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeKeys() throws Exception {
        curve = Keys.make(shared, "curve", "-keyalg", "EC", "-groupname", "secp384r1");
        rsa = Keys.make(shared, "rsa", "-keyalg", "RSA", "-keysize", "2048");
    }

    private static TlsConfig config(TlsConfig.Source source) {
        return new TlsConfig(
                Optional.of(source),
                TlsConfig.Provider.AUTO,
                TlsConfig.ClientCertificates.NONE,
                Optional.empty(),
                TlsGroup.INTERMEDIATE,
                1000,
                16_384,
                0);
    }

    private TlsFiles pem(String certificate, String key, Optional<String> password) throws IOException {
        return TlsFiles.read(config(new TlsConfig.Source.Pem(
                Keys.file(folder, "certificate", certificate), Keys.file(folder, "key", key), password)));
    }

    private Identity identity(String certificate, String key) throws IOException {
        return pem(certificate, key, Optional.empty()).identity(Instant.now());
    }

    private void assertUnusable(String certificate, String key, String problem) {
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> identity(certificate, key))
                .withMessageContaining(problem)
                .withMessageContaining(folder.toString());
    }

    @Test
    void everyFormatOfAKeyYieldsTheSameKey() throws Exception {
        assertThat(identity(rsa.certificatePem(), rsa.keyPem()).key()).isEqualTo(rsa.key());
        assertThat(identity(rsa.certificatePem(), rsa.oldKeyPem("RSA PRIVATE KEY"))
                        .key())
                .isEqualTo(rsa.key());
        assertThat(identity(curve.certificatePem(), curve.keyPem()).key()).isEqualTo(curve.key());
        String parameters = Keys.pem("EC PARAMETERS", new byte[] {6, 1, 1});
        assertThat(identity(curve.certificatePem(), parameters + curve.oldKeyPem("EC PRIVATE KEY"))
                        .key())
                .isEqualTo(curve.key());
        Optional<String> password = Optional.of("open sesame");
        assertThat(pem(curve.certificatePem(), curve.encryptedKeyPem("open sesame"), password)
                        .identity(Instant.now())
                        .key())
                .isEqualTo(curve.key());
        TlsConfig.Source store = new TlsConfig.Source.Store(rsa.store(), Optional.of(Keys.PASSWORD));
        assertThat(TlsFiles.read(config(store)).identity(Instant.now()).key()).isEqualTo(rsa.key());
    }

    @Test
    void aChainKeepsItsOrder() throws Exception {
        String chain = "text around it\n" + curve.certificatePem() + rsa.certificatePem();
        assertThat(identity(chain, curve.keyPem()).chain()).containsExactly(curve.certificate(), rsa.certificate());
    }

    @Test
    void anUnusableFileIsReportedByName() throws Exception {
        assertUnusable(rsa.certificatePem(), curve.keyPem(), "cannot be read as the RSA key of the certificate");
        Keys another = Keys.make(folder, "another", "-keyalg", "RSA", "-keysize", "2048");
        assertUnusable(rsa.certificatePem(), another.keyPem(), "the key does not match the certificate");
        assertUnusable(rsa.certificatePem(), rsa.certificatePem(), "holds no private key");
        assertUnusable(rsa.keyPem(), rsa.keyPem(), "holds no certificate");
        assertUnusable(rsa.certificatePem(), "", "holds no private key");
        assertUnusable(
                Keys.pem("CERTIFICATE", new byte[] {48, 3, 1, 2, 3}), rsa.keyPem(), "holds a damaged certificate");
        assertUnusable(rsa.certificatePem(), Keys.pem("PRIVATE KEY", new byte[] {48, 1, 7}), "cannot be read");
        assertUnusable(rsa.certificatePem(), Keys.pem("RSA PRIVATE KEY", new byte[0]), "cannot be read");
        assertUnusable(rsa.certificatePem(), rsa.encryptedKeyPem("x"), "CertificateKeyPassword is not set");
        assertUnusable(rsa.certificatePem(), """
                -----BEGIN RSA PRIVATE KEY-----
                Proc-Type: 4,ENCRYPTED
                DEK-Info: AES-256-CBC,00

                AAAA
                -----END RSA PRIVATE KEY-----
                """, "openssl pkcs8 -topk8");
    }

    @Test
    void aWrongPasswordIsReportedWithoutQuotingIt() throws Exception {
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> pem(rsa.certificatePem(), rsa.encryptedKeyPem("right"), Optional.of("swordfish"))
                        .identity(Instant.now()))
                .withMessageContaining("cannot be decrypted with CertificateKeyPassword")
                .withMessageNotContaining("swordfish");
        TlsConfig.Source store = new TlsConfig.Source.Store(rsa.store(), Optional.of("swordfish"));
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> TlsFiles.read(config(store)).identity(Instant.now()))
                .withMessageContaining("cannot be opened with KeyStorePassword");
    }

    @Test
    void aCertificateIsValidOnlyInItsPeriod() throws Exception {
        TlsFiles files = pem(rsa.certificatePem(), rsa.keyPem(), Optional.empty());
        Instant end = rsa.certificate().getNotAfter().toInstant();
        assertThat(files.identity(end.minusSeconds(1)).expiresSoon(end.minus(Duration.ofDays(31))))
                .isFalse();
        assertThat(files.identity(end.minusSeconds(1)).expiresSoon(end.minus(Duration.ofDays(29))))
                .isTrue();
        for (Instant wrong : new Instant[] {
            end.plusSeconds(1), rsa.certificate().getNotBefore().toInstant().minusSeconds(1)
        }) {
            assertThatExceptionOfType(TlsException.class)
                    .isThrownBy(() -> files.identity(wrong))
                    .withMessageContaining("is not valid now");
        }
    }

    @Test
    void aWorldReadableKeyCausesAWarning() throws Exception {
        TlsFiles files = pem(rsa.certificatePem(), rsa.keyPem(), Optional.empty());
        Files.setPosixFilePermissions(folder.resolve("key"), PosixFilePermissions.fromString("rw-r-----"));
        assertThat(files.exposure()).isEmpty();
        Files.setPosixFilePermissions(folder.resolve("key"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(files.exposure()).hasValueSatisfying(text -> assertThat(text).contains("chmod"));
    }
}
